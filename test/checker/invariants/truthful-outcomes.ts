import { groupOf } from '#domain';

import type { EventRow } from '../history/lane-history.js';
import type { Effect } from '../history/partner-history.js';
import type { Attempt } from '../lane/attempt.js';
import type { IntentView, LaneView, Step } from '../lane/lane-view.js';
import { isFeigned, isLate, stepsOf } from '../lane/lane-view.js';
import { isTakenOnce } from '../lane/way-out.js';
import type { Finding, Invariant } from './invariant.js';
import { whenItHappened } from './invariant.js';

/** I8: what is told as applied has its effect, what is told as refused or absent never has. */
export const truthfulOutcomes: Invariant = {
  id: 'I8',
  checks:
    'AttemptApplied has its effect in the ledger, AttemptRejected, AttemptNotApplied and VerifiedAbsent have none, VerifiedApplied has one of its intent; nothing counts as applied by an answer that the partner only feigned; a duplicate proves only an attempt in doubt',
  cannotSee: 'whether an update that others could have made too was ours',
  elsewhere: ['libs/domain/src/delivery/classify-outcome.unit.spec.ts'],
  judge: () => ({ lane }),
};

function* lane(view: LaneView): Iterable<Finding> {
  for (const intent of view.intents.values()) {
    for (const attempt of intent.attempts) yield* judgeAttempt(view, intent, attempt);
    const feigned = stepsOf(intent, 'AttemptApplied').filter(({ row }) => isFeigned(view.history, row));
    const problem = 'applied by an answer that proves nothing';
    for (const { row } of feigned) yield whenItHappened(view, row, { problem });
    for (const step of stepsOf(intent, 'VerifiedApplied')) yield* judgeProof(view, intent, step);
  }
}

function* judgeAttempt(view: LaneView, intent: IntentView, attempt: Attempt): Iterable<Finding> {
  const { claim, effects } = attempt;
  const [effect] = effects;
  if (claim === 'has-effect' && effect === undefined && !isRepetition(view, intent)) {
    yield whenItHappened(view, toldBy(attempt), { problem: 'applied, but the partner has no effect of it' });
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
  return whenItHappened(view, toldBy(attempt), { problem, rows: [effect] });
}

function toldBy({ outcome, begin, late }: Attempt): EventRow {
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
  const isTheirs = event.evidence === 'duplicate-refusal' && view.notes.partner.othersUseOurValues;
  if (isTheirs) yield { bucket: 'value-taken-by-others', laneId: view.history.lane.laneId, seq: row.seq };
  else yield whenItHappened(view, row, { problem: 'verified as applied, but the partner has no effect of it' });
}

/** A pass may have come from elsewhere, and so may points and content. */
function isExplainedOtherwise({ history, notes: { partner } }: LaneView, { row }: IntentView): boolean {
  const group = groupOf(row.operation);
  if (row.asks === null) return true;
  if (group !== 'issue') return partner.othersWrite;
  return (
    partner.othersWrite ||
    partner.hadPasses ||
    history.effects.some(({ operation }) => operation === 'issue' || operation === 'issue-via-workflow')
  );
}
