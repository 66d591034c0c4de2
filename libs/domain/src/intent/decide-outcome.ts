import { retryDelayMs } from '../delivery/retry-delay.js';
import { needsPass } from '../operation.js';
import type { Decision } from './decision.js';
import { happened, ignored } from './decision.js';
import type { DeliveryPolicy } from './delivery-policy.js';
import type { IntentCommand } from './intent-command.js';
import type { IntentEvent } from './intent-event.js';
import type { IntentState } from './intent-state.js';

type OutcomeCommand = Extract<IntentCommand, { type: 'RecordOutcome' }>;
type Delivering = Extract<IntentState, { status: 'delivering' }>;
type NotApplied = Extract<OutcomeCommand['outcome'], { kind: 'not-applied' }>;
type Rejected = Extract<OutcomeCommand['outcome'], { kind: 'rejected' }>;

function parked(at: number, reason: 'rejected' | 'exhausted' | 'unknown-outcome', policy: DeliveryPolicy): IntentEvent {
  return { type: 'IntentParked', at, reason, lane: policy.onPark };
}

function decideNotApplied(state: Delivering, command: OutcomeCommand, outcome: NotApplied): Decision {
  const { at, attempt, policy, chance } = command;
  const delayMs = retryDelayMs({ lastDelayMs: state.lastDelayMs, retryAfterMs: outcome.retryAfterMs, chance });
  const event: IntentEvent = {
    type: 'AttemptNotApplied',
    at,
    attempt,
    code: outcome.code,
    answered: outcome.answered,
    retryAt: at + delayMs,
  };
  const isTooOften = state.answeredTries + 1 >= policy.retries.maxAttempts;
  const isTooOld = at + delayMs - state.recordedAt > policy.retries.maxAgeMs;
  // Waiting for a connection, a token or a limit never uses up tries (design.md section 3): only answers do.
  if (!outcome.answered || !(isTooOften || isTooOld)) return happened(event);
  return happened(event, parked(at, state.hadUnknown ? 'unknown-outcome' : 'exhausted', policy));
}

function decideRejected(state: Delivering, command: OutcomeCommand, outcome: Rejected): Decision {
  const { at, attempt, policy, chance } = command;
  const isEarly = at - state.recordedAt < policy.missingPassWaitMs;
  if (outcome.code === 'no-such-pass' && needsPass(policy.operation) && isEarly) {
    // A lookup may lag behind the lane's own issue: wait and look again instead of giving the sale up.
    const recheckAt = at + retryDelayMs({ lastDelayMs: state.lastDelayMs, retryAfterMs: null, chance });
    return happened(
      { type: 'AttemptNotApplied', at, attempt, code: outcome.code, answered: false, retryAt: recheckAt },
      { type: 'PassAbsent', at },
      { type: 'WaitingBegan', at, for: 'pass', recheckAt },
    );
  }
  // After an unknown attempt a refusal proves nothing about that attempt (design.md section 6).
  const reason = state.hadUnknown ? 'unknown-outcome' : 'rejected';
  return happened({ type: 'AttemptRejected', at, attempt, code: outcome.code }, parked(at, reason, policy));
}

/** What an attempt's outcome means for its intent. */
export function decideOutcome(state: IntentState, command: OutcomeCommand): Decision {
  if (state.status !== 'delivering') return ignored('not-begun');
  if (state.attempt !== command.attempt) return ignored('other-attempt');
  const { at, attempt, outcome, policy } = command;
  switch (outcome.kind) {
    case 'applied':
      return happened({ type: 'AttemptApplied', at, attempt });
    case 'rejected':
      return decideRejected(state, command, outcome);
    case 'not-applied':
      return decideNotApplied(state, command, outcome);
    case 'unknown':
      return happened(
        { type: 'AttemptUnknown', at, attempt, code: outcome.code },
        parked(at, 'unknown-outcome', policy),
      );
  }
}
