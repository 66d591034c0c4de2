import { retryDelayMs, retryDelayMsMin } from '../delivery/retry-delay.js';
import { groupOf, needsPass } from '../operation.js';
import { decideDuplicateIssue, decideUnknown, hasTriesLeft, parked } from './decide-unknown.js';
import type { Decision } from './decision.js';
import { happened, ignored } from './decision.js';
import type { IntentCommand } from './intent-command.js';
import type { IntentEvent } from './intent-event.js';
import type { IntentState } from './intent-state.js';

type OutcomeCommand = Extract<IntentCommand, { type: 'RecordOutcome' }>;
type Delivering = Extract<IntentState, { status: 'delivering' }>;
type NotApplied = Extract<OutcomeCommand['outcome'], { kind: 'not-applied' }>;
type Rejected = Extract<OutcomeCommand['outcome'], { kind: 'rejected' }>;

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
  const isTooOften = !hasTriesLeft(state, policy, 1);
  const isTooOld = at + delayMs - state.triedSince > policy.retries.maxAgeMs;
  // Waiting for a connection, a token or a limit never uses up tries (design.md section 3): only answers do.
  if (!outcome.answered || !(isTooOften || isTooOld)) return happened(event);
  return happened(event, parked(at, state.hadUnknown ? 'unknown-outcome' : 'exhausted', policy));
}

function rejectedBy({ at, attempt }: OutcomeCommand, { code, fingerprint }: Rejected): IntentEvent {
  return { type: 'AttemptRejected', at, attempt, code, ...(fingerprint === undefined ? {} : { fingerprint }) };
}

function decideRejected(state: Delivering, command: OutcomeCommand, outcome: Rejected): Decision {
  const { at, attempt, policy, chance } = command;
  if (outcome.code === 'duplicate' && groupOf(policy.operation) === 'issue') {
    return decideDuplicateIssue(state, command);
  }
  const inDoubt = state.doubts.at(-1);
  if (outcome.code === 'duplicate' && inDoubt !== undefined) {
    // The refused value is the one that an attempt in doubt sent: that attempt took effect (design.md section 6).
    return happened(rejectedBy(command, outcome), {
      type: 'VerifiedApplied',
      at,
      attempt: inDoubt,
      evidence: 'duplicate-refusal',
    });
  }
  if (outcome.code === 'no-such-pass' && isWorthWaiting(state, command)) {
    // A lookup may lag behind the lane's own issue: wait and look again instead of giving the sale up.
    const recheckAt = at + retryDelayMs({ lastDelayMs: state.lastDelayMs, retryAfterMs: null, chance });
    return happened(
      { type: 'AttemptNotApplied', at, attempt, code: outcome.code, answered: false, retryAt: recheckAt },
      { type: 'PassAbsent', at },
      { type: 'WaitingBegan', at, for: 'pass', recheckAt },
    );
  }
  // A refusal proves nothing about an attempt before it that is still in doubt (design.md section 6).
  const reason = state.doubts.length > 0 ? 'unknown-outcome' : 'rejected';
  return happened(rejectedBy(command, outcome), parked(at, reason, policy));
}

function isWorthWaiting({ recordedAt }: Delivering, { at, policy }: OutcomeCommand): boolean {
  return needsPass(policy.operation) && at - recordedAt < policy.missingPassWaitMs;
}

/** An earlier attempt took effect, as its worker reported late: whatever came of this one, the intent is delivered. */
function decideKnownApplied(state: Delivering, command: OutcomeCommand): Decision {
  const { at, attempt, outcome } = command;
  const verified = {
    type: 'VerifiedApplied',
    at,
    attempt: state.lateApplied ?? attempt,
    evidence: 'late-outcome',
  } as const;
  switch (outcome.kind) {
    case 'applied':
      return happened({ type: 'AttemptApplied', at, attempt });
    case 'rejected':
      return happened({ type: 'AttemptRejected', at, attempt, code: outcome.code }, verified);
    case 'not-applied': {
      const { code, answered } = outcome;
      const retryAt = at + retryDelayMsMin;
      return happened({ type: 'AttemptNotApplied', at, attempt, code, answered, retryAt }, verified);
    }
    case 'unknown':
      return happened({ type: 'AttemptUnknown', at, attempt, code: outcome.code, checkAt: null }, verified);
  }
}

/** What an attempt's outcome means for its intent. */
export function decideOutcome(state: IntentState, command: OutcomeCommand): Decision {
  if (state.status !== 'delivering') return ignored('not-begun');
  if (state.attempt !== command.attempt) return ignored('other-attempt');
  if (state.lateApplied !== null) return decideKnownApplied(state, command);
  const { at, attempt, outcome } = command;
  switch (outcome.kind) {
    case 'applied':
      return happened({ type: 'AttemptApplied', at, attempt });
    case 'rejected':
      return decideRejected(state, command, outcome);
    case 'not-applied':
      return decideNotApplied(state, command, outcome);
    case 'unknown':
      return decideUnknown(state, { ...command, code: outcome.code, retryAfterMs: outcome.retryAfterMs });
  }
}
