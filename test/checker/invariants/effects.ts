import { groupOf } from '#intents/core';

import type { Effect, EventRow } from '../history.js';
import type { Attempt } from '../lane/attempt.js';
import { isAsked } from '../lane/attribute.js';
import type { IntentView, LaneView, Step } from '../lane/lane-view.js';
import { isForPerson } from '../lane/intent-state.js';
import { answersWith, isFeigned, isLate, stepsOf } from '../lane/lane-view.js';
import { isTakenOnce, wayOut } from '../lane/way-out.js';
import type { ExposureBucket, Finding, Invariant } from './invariant.js';
import { whenItHappened } from './invariant.js';

/** I6: at most one effect per issue and per enforced unique transaction, under every fault. */
export const keyedEffectsOnce: Invariant = {
  id: 'I6',
  checks: 'no issue and no transaction with an enforced value has two effects',
  cannotSee: 'two passes of one member that two enrolments of different generations asked for',
  elsewhere: [],
  judge: () => ({ lane: (view) => judgeEffects(view, true) }),
};

/** I7: at most one effect per reward and plain transaction, unless the programs file asks for at least one. */
export const plainEffectsOnce: Invariant = {
  id: 'I7',
  checks: 'no reward, plain transaction or update has two effects under park or probe',
  cannotSee: 'which of two equal grants was applied twice: only that there are more effects than grants',
  elsewhere: [],
  judge: () => ({ lane: (view) => judgeEffects(view, false) }),
};

interface Made {
  readonly attempt: Attempt;
  readonly effect: Effect;
}

function* judgeEffects(lane: LaneView, isKeyed: boolean): Iterable<Finding> {
  for (const intent of lane.intents.values()) {
    if (isTakenOnce(intent.row.operation, intent.row.asks) !== isKeyed) continue;
    const made = intent.attempts.flatMap((attempt) => attempt.effects.map((effect) => ({ attempt, effect })));
    if (made.length > 1) yield* judgeMany(lane, intent, made);
  }
}

function* judgeMany(lane: LaneView, intent: IntentView, made: readonly Made[]): Iterable<Finding> {
  const { laneId } = lane.history.lane;
  const { seq } = intent.row;
  const [first, ...others] = withoutEchoes(made);
  if (others.length + 1 < made.length) yield { bucket: 'partner-applied-twice', laneId, seq };
  const last = others.at(-1);
  if (first === undefined || last === undefined) return;
  const bucket = bucketOf(lane, intent, [first, ...others]);
  if (bucket !== null) yield { bucket, laneId, seq };
  else {
    const problem = `${others.length + 1} effects at the partner`;
    const rows = [first.effect, ...others.map(({ effect }) => effect)];
    yield { ...whenItHappened(lane, last.attempt.begin, { problem, rows }), at: last.effect.appliedAt };
  }
}

/** One request applied twice is the partner's own doing. */
function withoutEchoes(made: readonly Made[]): Made[] {
  const seen = new Set<string>();
  return made.filter(({ effect: { requestId } }) => {
    if (requestId === null) return true;
    const isNew = !seen.has(requestId);
    seen.add(requestId);
    return isNew;
  });
}

function bucketOf(lane: LaneView, intent: IntentView, made: readonly Made[]): ExposureBucket | null {
  const { operation, asks } = intent.row;
  if (isTakenOnce(operation, asks) && !lane.notes.partner.enforcesUniqueness) return 'unenforcing-partner';
  if (made.some(({ attempt, effect }) => isLate(lane, attempt, effect))) return 'late-commit';
  if (wayOut(operation, asks, lane.policy) === 'resend') return 'at-least-once';
  if (isIssuedAnew(intent, made)) return 'issued-anew';
  const replayed = intent.steps.find(({ row, before }) => isOperatorDecision(row.event.type) && before.hadUnknown);
  const isReplayed = replayed !== undefined && made.some(({ attempt }) => attempt.begin.version > replayed.row.version);
  return isReplayed ? 'operator-replay' : null;
}

/** What it had issued was gone, as a reconciliation found: each effect goes back to another word of an operator. */
function isIssuedAnew({ steps }: IntentView, made: readonly Made[]): boolean {
  const words = steps.filter(({ row }) => row.event.type === 'IntentReissued').map(({ row }) => row.version);
  const rounds = made.map(({ attempt }) => words.filter((version) => version < attempt.begin.version).length);
  return new Set(rounds).size === made.length;
}

function isOperatorDecision(type: string): boolean {
  return type === 'IntentReplayed' || type === 'IntentResolved';
}

/** I8: what is told as applied has its effect, what is told as refused or absent never has. */
export const truthfulOutcomes: Invariant = {
  id: 'I8',
  checks:
    'AttemptApplied has its effect in the ledger, AttemptRejected, AttemptNotApplied and VerifiedAbsent have none, VerifiedApplied has one of its intent; nothing counts as applied by an answer that the partner only feigned, that shows something else than was asked, or by a duplicate of what failed; a duplicate proves only an attempt in doubt',
  cannotSee: 'whether an update that others could have made too was ours',
  elsewhere: ['libs/intents/src/core/delivery/classify-outcome.unit.spec.ts'],
  judge: () => ({ lane: untruths }),
};

function* untruths(view: LaneView): Iterable<Finding> {
  for (const intent of view.intents.values()) {
    for (const attempt of intent.attempts) yield* judgeAttempt(view, intent, attempt);
    const feigned = stepsOf(intent, 'AttemptApplied').filter(({ row }) => isFeigned(view.history, row));
    const problem = 'applied by an answer that proves nothing';
    for (const { row } of feigned) yield whenItHappened(view, row, { problem });
    yield* judgeContradictions(view, intent);
    for (const step of stepsOf(intent, 'VerifiedApplied')) yield* judgeProof(view, intent, step);
  }
}

/** What was answered with something else than was asked, or refused as duplicate of what failed, proves nothing. */
function* judgeContradictions(view: LaneView, intent: IntentView): Iterable<Finding> {
  const applied = stepsOf(intent, 'AttemptApplied');
  for (const { row } of applied.filter((step) => answersWith(view.history, step.row, 'isOtherwise'))) {
    yield whenItHappened(view, row, { problem: 'delivered on an answer to something else' });
  }
  for (const { row, before } of stepsOf(intent, 'VerifiedApplied')) {
    const refusal = intent.steps.findLast((step) => step.row.version < row.version)?.row;
    const isOfFailed = refusal !== undefined && answersWith(view.history, refusal, 'isOfFailed');
    if (isOfFailed) yield whenItHappened(view, row, { problem: 'delivered on a duplicate of what failed' });
    const isByAnswer = row.event.type === 'VerifiedApplied' && byAnswer.includes(row.event.evidence);
    if (!isForPerson(before) || isByAnswer) continue;
    yield whenItHappened(view, row, { problem: 'an answer to something else was settled by no person' });
  }
}

/** An attempt's own yes that came late, or that a person had read again. */
const byAnswer: readonly string[] = ['late-outcome', 'answer-reread'];

function* judgeAttempt(view: LaneView, intent: IntentView, attempt: Attempt): Iterable<Finding> {
  const { claim, effects } = attempt;
  const [effect] = effects;
  if (claim === 'has-effect' && effect === undefined && !isRepetition(view, intent)) {
    yield whenItHappened(view, attemptsShownBy(attempt), { problem: 'applied, but the partner has no effect of it' });
  }
  if (claim === 'has-none' && effect !== undefined) yield unexpected(view, attempt, effect);
}

/** A partner may answer the repetition of what it takes once as if it had taken it again. */
function isRepetition(view: LaneView, intent: IntentView): boolean {
  if (!isTakenOnce(intent.row.operation, intent.row.asks)) return false;
  return hasEffect(intent) || isExplainedOtherwise(view, intent);
}

function hasEffect({ attempts }: IntentView): boolean {
  return attempts.some(({ effects }) => effects.length > 0);
}

function unexpected(view: LaneView, attempt: Attempt, effect: Effect): Finding {
  const { laneId } = view.history.lane;
  if (isLate(view, attempt, effect)) return { bucket: 'late-commit', laneId, seq: attempt.intent.seq };
  const problem = 'told as without effect, but the partner has one';
  return whenItHappened(view, attemptsShownBy(attempt), { problem, rows: [effect] });
}

function attemptsShownBy({ outcome, begin, late }: Attempt): EventRow {
  return late[0] ?? outcome ?? begin;
}

function* judgeProof(view: LaneView, intent: IntentView, { row, before }: Step): Iterable<Finding> {
  const { event } = row;
  if (event.type !== 'VerifiedApplied') return;
  if (event.evidence === 'duplicate-refusal' && !before.doubts.includes(event.attempt)) {
    yield whenItHappened(view, row, { problem: 'a duplicate was taken for our own, but no attempt was in doubt' });
    return;
  }
  if (hasEffect(intent) || isExplainedOtherwise(view, intent)) return;
  const bucket = theirs(view, intent, event.evidence);
  if (bucket !== null) yield { bucket, laneId: view.history.lane.laneId, seq: row.seq };
  else yield whenItHappened(view, row, { problem: 'verified as applied, but the partner has no effect of it' });
}

/** What another system did that looks like our own lost attempt; null: nothing that is known. */
function theirs({ history, notes }: LaneView, { row, attempts }: IntentView, evidence: string): ExposureBucket | null {
  const { others = [] } = history;
  if (evidence === 'duplicate-refusal') {
    // Their sale need be like ours in nothing but the value that the partner takes once.
    const isTaken = others.some((other) => other.key !== null && isAsked({ ...other, content: null }, row.asks));
    return isTaken || notes.partner.othersUseOurValues ? 'value-taken-by-others' : null;
  }
  if (evidence !== 'points' && evidence !== 'as-wanted') return null;
  const since = attempts[0]?.begin.event.at ?? Infinity;
  const isChanged = others.some(({ appliedAt }) => appliedAt + notes.clockToleranceMs >= since);
  return isChanged ? 'pass-changed-by-others' : null;
}

/** A pass may have come from elsewhere, and so may points and content. */
function isExplainedOtherwise({ history, notes: { partner } }: LaneView, { row }: IntentView): boolean {
  const group = groupOf(row.operation);
  if (row.asks === null) return true;
  if (group !== 'issue') return partner.othersWrite;
  return (
    partner.othersWrite ||
    partner.hadPasses ||
    history.effects.some(({ operation }) => operation === 'issue' || operation === 'issue-via-workflow') ||
    isMadeByOthers(history)
  );
}

/** The first effect for a member has made the pass: by a workflow that updates, too (partner-api.md 4.3). */
function isMadeByOthers({ effects, others = [] }: LaneView['history']): boolean {
  const firstOfOurs = Math.min(...effects.map(({ appliedAt }) => appliedAt));
  return others.some(({ appliedAt }) => appliedAt < firstOfOurs);
}

/**
 * I25: nothing is sent again but after `not-applied`, a proof of absence, a decision that the policy allows, or an
 * operator's word; and proofs and decisions wait until the attempt can no longer take effect.
 */
export const noBlindResend: Invariant = {
  id: 'I25',
  checks:
    'each further begin has its reason between it and the one before, and none comes after a late proof of "applied"; absence, resends and the second read of a probe come inFlightMs after the attempt was lost sight of',
  cannotSee: 'whether a lookup and a listing really said no',
  elsewhere: [
    'libs/intents/src/core/intent/decide-resolution.unit.spec.ts',
    'libs/outbox/src/engine/delivery-engine.unit.spec.ts',
  ],
  judge: () => ({ lane: blindResends }),
};

const reasons: readonly string[] = [
  'AttemptNotApplied',
  'VerifiedAbsent',
  'ResendDecided',
  'IntentReplayed',
  'IntentReissued',
  'IntentResolved',
];

function* blindResends(view: LaneView): Iterable<Finding> {
  for (const intent of view.intents.values()) {
    yield* judgeBegins(view, intent);
    yield* judgeWaits(view, intent);
  }
}

function* judgeBegins(view: LaneView, { steps }: IntentView): Iterable<Finding> {
  let isAllowed = true;
  for (const step of steps) {
    const { type } = step.row.event;
    const problem = type === 'AttemptBegun' ? problemOfBegin(step, isAllowed) : null;
    if (problem !== null) yield whenItHappened(view, step.row, { problem, rows: begunBefore(steps, step) });
    isAllowed = reasons.includes(type) || (isAllowed && !forbids.includes(type));
  }
}

function problemOfBegin(step: Step, isAllowed: boolean): string | null {
  const { status, isProven } = step.before;
  if (isSettled(step) || (!isAllowed && isBlind(step))) return `sent again while ${status}`;
  return isProven ? 'sent again after an attempt was told as applied' : null;
}

function begunBefore(steps: readonly Step[], { row }: Step): EventRow[] {
  const rows = steps.map((step) => step.row);
  return rows.filter(({ version, event }) => version < row.version && event.type === 'AttemptBegun').slice(-1);
}

const forbids: readonly string[] = ['AttemptBegun', 'AttemptUnknown', 'IntentParked'];

function isSettled({ before: { status } }: Step): boolean {
  return status === 'delivered' || status === 'parked';
}

/** What begins after a cancel, or beside another attempt, is for I26 and I13. */
function isBlind({ before: { status, begun } }: Step): boolean {
  return begun > 0 && status !== 'cancelled' && status !== 'delivering';
}

/** Until `inFlightMs` have passed the attempt may still take effect: whatever is concluded before is a guess. */
function* judgeWaits(view: LaneView, { steps }: IntentView): Iterable<Finding> {
  let read: EventRow | null = null;
  for (const step of steps) {
    const { row, before } = step;
    const since = conclusionSince(step, read);
    if (row.event.type === 'ProbeRead') read = row;
    if (row.event.type === 'AttemptBegun') read = null;
    if (since === null || row.event.at >= since + view.policy.inFlightMs) continue;
    const problem = `${row.event.type} ${row.event.at - since} ms after the attempt was lost sight of`;
    yield whenItHappened(view, row, { problem, rows: [{ unknownAt: before.unknownAt }] });
  }
}

/** From when on the wait for this conclusion counts; null: it needs none. */
function conclusionSince({ row: { event }, before }: Step, read: EventRow | null): number | null {
  if (event.type === 'ResendDecided') return before.unknownAt;
  if (event.type === 'VerifiedAbsent') return event.evidence === 'late-outcome' ? null : before.unknownAt;
  return event.type === 'VerifiedApplied' && event.evidence === 'points' ? (read?.event.at ?? Infinity) : null;
}
