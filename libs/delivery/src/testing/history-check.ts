import type { IntentEvent, IntentState } from '#domain';

type Status = IntentState['status'];

/** In which states an event may happen to an intent; what has no line may happen in any. */
const mayHappenIn: Partial<Record<IntentEvent['type'], readonly Status[]>> = {
  AttemptBegun: ['pending', 'waiting'],
  AttemptApplied: ['delivering'],
  AttemptRejected: ['delivering'],
  AttemptNotApplied: ['delivering'],
  AttemptUnknown: ['delivering'],
  ProbeRead: ['unknown'],
  VerifiedAbsent: ['unknown'],
  ResendDecided: ['unknown'],
  VerifiedApplied: ['unknown', 'pending', 'waiting', 'parked'],
  WaitingBegan: ['pending'],
  IntentReleased: ['waiting'],
  IntentParked: ['pending', 'waiting', 'unknown'],
  IntentCancelled: ['pending', 'waiting', 'parked'],
};

/** What is wrong with this event in this state, or null. */
export function misplacedEvent(state: IntentState, event: IntentEvent): string | null {
  const states = mayHappenIn[event.type];
  if (states !== undefined && !states.includes(state.status)) return `${event.type} while ${state.status}`;
  const expected = expectedAttempt(state, event);
  if (expected === null || !('attempt' in event) || event.attempt === expected) return null;
  return `${event.type} of attempt ${event.attempt} instead of ${expected}`;
}

/** Which attempt the event must be of; null: any, or none. */
function expectedAttempt(state: IntentState, { type }: IntentEvent): number | null {
  if (type === 'LateOutcome') return null;
  if (type === 'AttemptBegun') return 1 + (state.status === 'absent' ? 0 : state.attempts);
  return state.status === 'delivering' ? state.attempt : null;
}
