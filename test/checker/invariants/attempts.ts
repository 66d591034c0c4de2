import type { IntentEvent, IntentEventType } from '#intents/core';

import type { Effect, EventRow, HeardAnswer, LaneHistory, RunHistory } from '../history.js';
import type { Attempt } from '../lane/attempt.js';
import type { Noted } from '../lane/attribute.js';
import { isStale } from '../lane/is-stale.js';
import type { IntentView, LaneView, Step } from '../lane/lane-view.js';
import { stepsOf } from '../lane/lane-view.js';
import type { IntentState, Status } from '../lane/intent-state.js';
import type { Accusation, Finding, Invariant } from './invariant.js';
import { atTheEnd, ofTheRun, whenItHappened } from './invariant.js';

/** I9: every request has an earlier committed begin of its own. */
export const writeAhead: Invariant = {
  id: 'I9',
  checks: 'each effect and request at the partner goes back to a begin of its own, committed before it arrived',
  cannotSee:
    'when a begin was committed, unless the history tells: then a request that overtook its begin is seen only if that begin was lost',
  elsewhere: ['libs/outbox/src/engine/delivery-engine.property.sim.spec.ts'],
  judge: (run) => ({
    lane: (view) => notWrittenAhead(view, run),
    end: () => run.unattributedEffects.filter((effect) => isOurs(run, effect)).map(unattributedEffect),
  }),
};

function* notWrittenAhead(view: LaneView, run: RunHistory): Iterable<Finding> {
  const { effects, requests } = view.unexplained;
  const isNobodys = (item: Noted): boolean => !isUnreadable(view, item) && !isStale(view, item);
  for (const effect of effects.filter((item) => isNobodys(item) && isOurs(run, item))) {
    yield nobodys(view, 'an effect that no begun attempt can have made', effect);
  }
  for (const request of requests.filter(isNobodys)) {
    yield nobodys(view, 'a request without a begin of its own', request);
  }
  const attempts = [...view.intents.values()].flatMap((intent) => intent.attempts);
  for (const attempt of attempts) yield* judgeCommit(view, attempt);
}

function nobodys({ history }: LaneView, problem: string, item: Noted): Accusation {
  return { problem, at: item.arrivedAt, laneId: history.lane.laneId, seq: null, attempt: null, rows: [item] };
}

function* judgeCommit(view: LaneView, { begin, effects, requests }: Attempt): Iterable<Finding> {
  const { committedAt } = begin;
  if (committedAt === undefined) return;
  const early = [...effects, ...requests].find(
    ({ arrivedAt }) => arrivedAt + view.notes.clockToleranceMs < committedAt,
  );
  if (early !== undefined) {
    yield whenItHappened(view, begin, { problem: 'sent before its begin was committed', rows: [early] });
  }
}

/** An intent of this operation cannot be read any more: the effect may be its own. */
function isUnreadable(view: LaneView, { operation }: { readonly operation: string }): boolean {
  return [...view.intents.values()].some(
    ({ row, attempts }) => row.asks === null && row.operation === operation && attempts.length > 0,
  );
}

function isOurs({ notes: { partner } }: RunHistory, { operation }: Effect): boolean {
  const isIssue = operation === 'issue' || operation === 'issue-via-workflow';
  return !(partner.othersWrite || (partner.hadPasses && isIssue)) && operation !== 'scheduled-change';
}

function unattributedEffect(effect: Effect): Accusation {
  return ofTheRun('an effect for a member of whom nothing is recorded', [effect], effect.arrivedAt);
}

/** I10: one terminal outcome per intent; no attempt outcome without a begin; nothing known is told late. */
export const oneOutcome: Invariant = {
  id: 'I10',
  checks:
    'each outcome ends the open attempt of its intent, attempts are numbered without hole, nothing is settled twice, evidence is only about what is unknown, LateOutcome only tells what was not known',
  cannotSee: 'an outcome that was never recorded at all and that no process is known to have heard',
  elsewhere: ['libs/intents/src/core/intent/decide.property.unit.spec.ts'],
  judge: () => ({ lane }),
};

/** In which standings an event may happen; what has no line may happen in any. Begins are for I13, I25 and I26. */
const mayHappenIn: Partial<Record<IntentEventType, readonly Status[]>> = {
  AttemptApplied: ['delivering'],
  AttemptRejected: ['delivering'],
  AttemptNotApplied: ['delivering'],
  AttemptUnknown: ['delivering'],
  ProbeRead: ['unknown'],
  VerifiedAbsent: ['unknown'],
  ResendDecided: ['unknown'],
  VerifiedApplied: ['unknown', 'pending', 'waiting', 'refused', 'parked'],
  WaitingBegan: ['pending'],
  IntentReleased: ['waiting'],
  IntentReplayed: ['parked'],
  IntentReissued: ['delivered'],
  // What was voided while its call was under way is cancelled instead of being parked for its refusal.
  IntentCancelled: ['pending', 'waiting', 'parked', 'refused'],
};

const mayBeParked: readonly Status[] = ['pending', 'waiting', 'refused', 'unknown'];

/** What is parked already is parked anew: nothing of it can be sent any more. */
const mayBeErased: readonly Status[] = ['pending', 'waiting', 'refused', 'unknown', 'parked'];

/** Nothing of it was sent, whatever it is parked for: a void, or the receipt that it has waited for, disagrees with it. */
const mayConflict: readonly Status[] = ['pending', 'waiting', 'parked'];

const ofOpenAttempt: readonly string[] = ['AttemptApplied', 'AttemptRejected', 'AttemptNotApplied', 'AttemptUnknown'];

function* lane(view: LaneView): Iterable<Finding> {
  for (const row of view.events) {
    if (!view.intents.has(row.seq) && row.event.type !== 'PassAdopted') {
      yield whenItHappened(view, row, { problem: 'an event of an intent that is not recorded' });
    }
  }
  for (const intent of view.intents.values()) {
    for (const step of intent.steps) {
      const problem = problemOf(step);
      if (problem !== null) yield whenItHappened(view, step.row, { problem });
    }
    yield* judgeLateOutcomes(view, intent);
  }
}

function problemOf({ row: { event }, before }: Step): string | null {
  const { status, begun } = before;
  if (event.type === 'AttemptBegun') {
    return event.attempt === begun + 1 ? null : `attempt ${event.attempt} after ${begun}`;
  }
  const states = event.type === 'IntentParked' ? mayBeParkedIn(event) : mayHappenIn[event.type];
  if (states?.includes(status) === false) return `${event.type} while ${status}`;
  return event.type === 'VerifiedApplied' ? problemOfProof(event, before) : problemOfOutcome(event, before);
}

function mayBeParkedIn({ reason }: Extract<IntentEvent, { type: 'IntentParked' }>): readonly Status[] {
  if (reason === 'erased') return mayBeErased;
  return reason === 'conflict' || reason === 'over-refund' ? mayConflict : mayBeParked;
}

/** Whoever parked it did not know: a doubt can be settled afterwards, and what a worker tells late settles whatever it is parked for. */
function problemOfProof(
  { evidence }: Extract<IntentEvent, { type: 'VerifiedApplied' }>,
  { status, doubts }: IntentState,
): string | null {
  const isSettled = status !== 'parked' || doubts.length > 0 || evidence === 'late-outcome';
  return isSettled ? null : 'VerifiedApplied while parked and not in doubt';
}

function problemOfOutcome(event: IntentEvent, { open }: IntentState): string | null {
  if (!ofOpenAttempt.includes(event.type) || !('attempt' in event) || event.attempt === open) return null;
  return `${event.type} of attempt ${event.attempt} while ${String(open)} is open`;
}

/** Told late under the epoch under which it is told already: a lost acknowledgement was taken for a lost lease. */
function* judgeLateOutcomes(view: LaneView, intent: IntentView): Iterable<Finding> {
  const told: EventRow[] = [];
  for (const { row } of intent.steps) {
    if (row.event.type === 'LateOutcome') {
      yield* judgeLateOutcome(view, row, { told, begins: stepsOf(intent, 'AttemptBegun') });
    }
    if (row.event.type === 'LateOutcome' || ofOpenAttempt.includes(row.event.type)) told.push(row);
  }
}

function* judgeLateOutcome(
  view: LaneView,
  row: EventRow,
  { told, begins }: { readonly told: readonly EventRow[]; readonly begins: readonly Step[] },
): Iterable<Finding> {
  const isSame = (other: EventRow): boolean => attemptOf(other) === attemptOf(row);
  const before = told.find((other) => other.epoch === row.epoch && isSame(other));
  if (before !== undefined) {
    yield whenItHappened(view, row, { problem: 'a late outcome of what was known', rows: [before] });
  }
  if (!begins.some(({ row: begin }) => isSame(begin) && begin.version < row.version)) {
    yield whenItHappened(view, row, { problem: 'a late outcome of an attempt that was never begun' });
  }
}

function attemptOf({ event }: EventRow): number | null {
  return 'attempt' in event ? event.attempt : null;
}

/** I12: epochs rise; what belongs to an older one only comes as `LateOutcome`, and does come. */
export const epochsRise: Invariant = {
  id: 'I12',
  checks:
    "epochs never fall along a lane but for LateOutcome; an answer carries its begin's epoch; what a living process heard is recorded, late if need be",
  cannotSee: 'answers that were lost, unless the history tells what processes heard',
  elsewhere: [
    'libs/intents/src/store/lanes/record-late-outcomes.int.spec.ts',
    'libs/outbox/src/engine/delivery-engine.property.sim.spec.ts',
  ],
  judge: (run) => {
    const answers = Map.groupBy(run.answers ?? [], ({ laneId }) => laneId);
    return { lane: (view) => fallenEpochs(view, answers.get(view.history.lane.laneId) ?? [], run) };
  },
};

const answered: readonly string[] = ['AttemptApplied', 'AttemptRejected', 'AttemptNotApplied'];

function* fallenEpochs(view: LaneView, answers: readonly HeardAnswer[], run: RunHistory): Iterable<Finding> {
  yield* judgeRising(view);
  for (const intent of view.intents.values()) {
    for (const attempt of intent.attempts) yield* judgeAttempt(view, attempt);
  }
  const isOver = run.notes.isAtRest || run.notes.isStopped;
  for (const answer of answers) {
    if (!isRecorded(view, answer) && isOver) yield lost(view, answer);
  }
}

function* judgeRising(view: LaneView): Iterable<Finding> {
  let highest: EventRow | null = null;
  for (const row of view.events) {
    if (row.event.type === 'LateOutcome') continue;
    if (highest !== null && row.epoch < highest.epoch) {
      const problem = `${row.event.type} under epoch ${row.epoch} after epoch ${highest.epoch}`;
      yield whenItHappened(view, row, { problem, rows: [highest] });
    }
    highest = higherOf(highest, row);
  }
  if (!isRising(view.history, highest?.epoch ?? 0)) yield atTheEnd(view, "the lane's epoch fell");
}

function higherOf(highest: EventRow | null, row: EventRow): EventRow {
  return highest === null || row.epoch > highest.epoch ? row : highest;
}

function isRising({ lane, samples = [] }: LaneHistory, ofEvents: number): boolean {
  const epochs = [...samples.map(({ epoch }) => epoch), lane.epoch];
  return lane.epoch >= ofEvents && epochs.every((epoch, index) => index === 0 || epoch >= (epochs[index - 1] ?? 0));
}

function* judgeAttempt(view: LaneView, { begin, outcome, late }: Attempt): Iterable<Finding> {
  if (outcome !== null && isAnswer(outcome) && outcome.epoch !== begin.epoch) {
    const problem = `begun under epoch ${begin.epoch}, its answer recorded under ${outcome.epoch}`;
    yield whenItHappened(view, outcome, { problem, rows: [begin] });
  }
  for (const row of late) {
    if (row.epoch !== begin.epoch) {
      yield whenItHappened(view, row, {
        problem: `late under epoch ${row.epoch}, begun under ${begin.epoch}`,
        rows: [begin],
      });
    }
  }
}

/**
 * Whoever takes over a lane tells that its worker was lost, or forgotten by a restore; whatever else is told of an attempt
 * was heard by its own.
 */
const toldByOthers: readonly string[] = ['worker-lost', 'forgotten'];

function isAnswer({ event }: EventRow): boolean {
  return answered.includes(event.type) || (event.type === 'AttemptUnknown' && !toldByOthers.includes(event.code));
}

function isRecorded(view: LaneView, { seq, attempt, epoch }: HeardAnswer): boolean {
  const steps = view.intents.get(seq)?.steps ?? [];
  return steps.some(({ row: { event, epoch: own } }) => {
    const isTelling = answered.includes(event.type) || event.type === 'AttemptUnknown' || event.type === 'LateOutcome';
    return isTelling && 'attempt' in event && event.attempt === attempt && own === epoch;
  });
}

function lost(view: LaneView, answer: HeardAnswer): Accusation {
  const { seq, attempt } = answer;
  return { ...atTheEnd(view, 'an answer that a living process heard was not recorded', [answer]), seq, attempt };
}
