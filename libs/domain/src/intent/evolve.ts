import type { IntentEvent } from './intent-event.js';
import type { IntentHistory, IntentState } from './intent-state.js';

function historyOf(state: IntentState): IntentHistory {
  if (state.status === 'absent') throw new Error('an intent must be recorded first');
  const { recordedAt, attempts, answeredTries, hadUnknown, lastDelayMs } = state;
  return { recordedAt, attempts, answeredTries, hadUnknown, lastDelayMs };
}

function afterResolution(state: IntentState, as: 'delivered' | 'not-delivered'): IntentState {
  return { ...historyOf(state), status: as === 'delivered' ? 'delivered' : 'pending' };
}

/** Events of an attempt: the attempt's number is part of the event, so folding is independent of any counter. */
function evolveAttempt(state: IntentState, event: Extract<IntentEvent, { attempt: number }>): IntentState {
  const history = historyOf(state);
  switch (event.type) {
    case 'AttemptBegun':
      return { ...history, attempts: event.attempt, status: 'delivering', attempt: event.attempt };
    case 'AttemptApplied':
    case 'VerifiedApplied':
      return { ...history, status: 'delivered' };
    case 'AttemptRejected':
      // Until the park that follows in the same decision: still open, nothing to send.
      return { ...history, status: 'pending' };
    case 'AttemptNotApplied': {
      const answeredTries = history.answeredTries + (event.answered ? 1 : 0);
      return { ...history, answeredTries, lastDelayMs: Math.max(0, event.retryAt - event.at), status: 'pending' };
    }
    case 'AttemptUnknown':
      return { ...history, hadUnknown: true, status: 'unknown', attempt: event.attempt, since: event.at };
    case 'VerifiedAbsent':
      return { ...history, status: 'pending' };
    case 'LateOutcome':
      return state;
  }
}

/** Events that are not about one attempt. */
function evolveLifecycle(state: IntentState, event: Exclude<IntentEvent, { attempt: number }>): IntentState {
  switch (event.type) {
    case 'IntentRecorded':
      return {
        status: 'pending',
        recordedAt: event.at,
        attempts: 0,
        answeredTries: 0,
        hadUnknown: false,
        lastDelayMs: 0,
      };
    case 'WaitingBegan':
      return {
        ...historyOf(state),
        lastDelayMs: Math.max(0, event.recheckAt - event.at),
        status: 'waiting',
        for: event.for,
        since: event.at,
      };
    case 'IntentReleased':
      // The last delay is kept: a partner that shows a pass and then denies it must not be asked every second.
      return { ...historyOf(state), status: 'pending' };
    case 'IntentParked':
      return { ...historyOf(state), status: 'parked', reason: event.reason };
    case 'IntentReplayed':
      return { ...historyOf(state), answeredTries: 0, lastDelayMs: 0, status: 'pending' };
    case 'IntentResolved':
      return afterResolution(state, event.as);
    case 'IntentCancelled':
      return { ...historyOf(state), status: 'cancelled' };
    case 'IntentCorrected':
    case 'PassFound':
    case 'PassAbsent':
      return state;
  }
}

/** The one fold of an intent's history. Pure and total over every event that `decide` can produce. */
export function evolve(state: IntentState, event: IntentEvent): IntentState {
  return 'attempt' in event ? evolveAttempt(state, event) : evolveLifecycle(state, event);
}
