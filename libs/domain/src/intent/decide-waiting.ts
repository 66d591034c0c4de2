import { retryDelayMs } from '../delivery/retry-delay.js';
import type { Decision } from './decision.js';
import { happened, ignored } from './decision.js';
import type { IntentCommand } from './intent-command.js';
import type { ParkedReason } from './intent-event.js';
import type { IntentHistory, IntentState } from './intent-state.js';
import { isSettled } from './intent-state.js';

/** An attempt that nobody saw the end of may have been applied: then the missing pass is not the whole story. */
function reasonWithoutPass({ hadUnknown }: IntentHistory): ParkedReason {
  return hadUnknown ? 'unknown-outcome' : 'missing-pass';
}

/** A transaction or reward whose member has no pass: wait, look again, and park after `missingPass.waitMs`. */
export function decideAwaitPass(state: IntentState, command: Extract<IntentCommand, { type: 'AwaitPass' }>): Decision {
  if (state.status === 'absent') return ignored('not-recorded');
  if (isSettled(state)) return ignored('already-settled');
  if (state.status === 'delivering' || state.status === 'unknown') return ignored('in-flight');
  const { at, policy, chance } = command;
  const deadline = state.recordedAt + policy.missingPassWaitMs;
  if (at >= deadline) {
    const reason = reasonWithoutPass(state);
    return happened({ type: 'PassAbsent', at }, { type: 'IntentParked', at, reason, lane: policy.onPark });
  }
  // A re-check that finds nothing new is no event: a day of waiting must not fill the store.
  if (state.status === 'waiting' && state.for === 'pass') return ignored('still-waiting');
  const recheckAt = passRecheckAt({ waitingSince: at, at, deadline, chance });
  return happened({ type: 'PassAbsent', at }, { type: 'WaitingBegan', at, for: 'pass', recheckAt });
}

/**
 * When to ask for the pass again: the longer it has been waited for, the rarer, with jitter, never after the deadline.
 * @returns epoch milliseconds
 */
export function passRecheckAt(input: {
  readonly waitingSince: number;
  readonly at: number;
  readonly deadline: number;
  readonly chance: number;
}): number {
  const { waitingSince, at, deadline, chance } = input;
  const delayMs = retryDelayMs({ lastDelayMs: (at - waitingSince) / 2, retryAfterMs: null, chance });
  return Math.min(at + delayMs, deadline);
}

/** What was waited for has come. */
export function decideRelease(
  state: IntentState,
  command: Extract<IntentCommand, { type: 'ReleaseIntent' }>,
): Decision {
  return state.status === 'waiting' ? happened({ type: 'IntentReleased', at: command.at }) : ignored('not-waiting');
}
