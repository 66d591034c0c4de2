import type { IntentEventType } from '#domain';

import type { EventRow } from '../history/lane-history.js';
import type { IntentView, LaneView, Step } from '../lane/lane-view.js';
import { stepsOf } from '../lane/lane-view.js';
import type { Status } from '../lane/standing.js';
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
  IntentCancelled: ['pending', 'waiting', 'parked'],
};

const ofOpenAttempt: readonly string[] = ['AttemptApplied', 'AttemptRejected', 'AttemptNotApplied', 'AttemptUnknown'];

function* lane(view: LaneView): Iterable<Finding> {
  for (const row of view.events) {
    if (!view.intents.has(row.seq))
      yield whenItHappened(view, row, { problem: 'an event of an intent that is not recorded' });
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
  if (event.type === 'AttemptBegun')
    return event.attempt === before.begun + 1 ? null : `attempt ${event.attempt} after ${before.begun}`;
  const states = mayHappenIn[event.type];
  if (states !== undefined && !states.includes(before.status)) return `${event.type} while ${before.status}`;
  if (event.type === 'VerifiedApplied' && before.status === 'parked' && before.doubts.length === 0) {
    return 'VerifiedApplied while parked and not in doubt';
  }
  const isOther = 'attempt' in event && ofOpenAttempt.includes(event.type) && event.attempt !== before.open;
  return isOther ? `${event.type} of attempt ${event.attempt} while ${String(before.open)} is open` : null;
}

/** Told late under the epoch under which it is told already: a lost acknowledgement was taken for a lost lease. */
function* judgeLateOutcomes(view: LaneView, intent: IntentView): Iterable<Finding> {
  const told: EventRow[] = [];
  for (const { row } of intent.steps) {
    const { event } = row;
    if (!('attempt' in event) || !(ofOpenAttempt.includes(event.type) || event.type === 'LateOutcome')) continue;
    const before = told.find((other) => other.epoch === row.epoch && attemptOf(other) === event.attempt);
    told.push(row);
    if (event.type !== 'LateOutcome') continue;
    if (before !== undefined)
      yield whenItHappened(view, row, { problem: 'a late outcome of what was known', rows: [before] });
    const isBegun = stepsOf(intent, 'AttemptBegun').some(
      ({ row: begin }) => attemptOf(begin) === event.attempt && begin.version < row.version,
    );
    if (!isBegun) yield whenItHappened(view, row, { problem: 'a late outcome of an attempt that was never begun' });
  }
}

function attemptOf({ event }: EventRow): number | null {
  return 'attempt' in event ? event.attempt : null;
}
