import type { IntentEvent, IntentEventType } from '#domain';

import type { EventRow } from '../history/lane-history.js';
import type { IntentView, LaneView, Step } from '../lane/lane-view.js';
import { stepsOf } from '../lane/lane-view.js';
import type { Standing, Status } from '../lane/standing.js';
import type { Finding, Invariant } from './invariant.js';
import { whenItHappened } from './invariant.js';

/** I10: one terminal outcome per intent; no attempt outcome without a begin; nothing known is told late. */
export const oneOutcome: Invariant = {
  id: 'I10',
  checks:
    'each outcome ends the open attempt of its intent, attempts are numbered without hole, nothing is settled twice, evidence is only about what is unknown, LateOutcome only tells what was not known',
  cannotSee: 'an outcome that was never recorded at all and that no process is known to have heard',
  elsewhere: ['libs/domain/src/intent/decide.property.unit.spec.ts'],
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
  IntentParked: ['pending', 'waiting', 'refused', 'unknown'],
  IntentReplayed: ['parked'],
  IntentReissued: ['delivered'],
  IntentCancelled: ['pending', 'waiting', 'parked'],
};

/** What is parked already is parked anew: nothing of it can be sent any more. */
const mayBeErased: readonly Status[] = ['pending', 'waiting', 'refused', 'unknown', 'parked'];

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
  const states = isErasure(event) ? mayBeErased : mayHappenIn[event.type];
  if (states?.includes(status) === false) return `${event.type} while ${status}`;
  return event.type === 'VerifiedApplied' ? problemOfProof(before) : problemOfOutcome(event, before);
}

function isErasure(event: IntentEvent): boolean {
  return event.type === 'IntentParked' && event.reason === 'erased';
}

/** Whoever parked it did not know: only a doubt can be settled afterwards. */
function problemOfProof({ status, doubts }: Standing): string | null {
  return status === 'parked' && doubts.length === 0 ? 'VerifiedApplied while parked and not in doubt' : null;
}

function problemOfOutcome(event: IntentEvent, { open }: Standing): string | null {
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
