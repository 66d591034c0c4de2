import { firstCheckAt, isPastResolving } from '../resolution/check-time.js';
import { isUnprovenCode } from '../delivery/classify-outcome.js';
import { duplicateIssueCode, resolutionAfterYes } from '../resolution/resolution-step.js';
import type { Decision } from './decision.js';
import { happened } from './decision.js';
import type { DeliveryPolicy } from './delivery-policy.js';
import type { IntentEvent, ParkedReason } from './intent-event.js';
import { hasUnprovenYes, type IntentHistory, type IntentState } from './intent-state.js';

type Delivering = Extract<IntentState, { status: 'delivering' }>;

export interface UnknownAttempt {
  readonly at: number;
  readonly code: string;
  readonly retryAfterMs: number | null;
  readonly policy: DeliveryPolicy;
  readonly chance: number;
}

export function parked(at: number, reason: ParkedReason, policy: DeliveryPolicy): IntentEvent {
  return { type: 'IntentParked', at, reason, lane: policy.onPark };
}

/** Nobody knows whether the attempt took effect: evidence is looked for, or a person must look. */
export function decideUnknown(state: Delivering, unknown: UnknownAttempt): Decision {
  const { at, code, policy } = unknown;
  const { attempt } = state;
  if (state.lateApplied !== null) {
    return happened(
      { type: 'AttemptUnknown', at, attempt, code, checkAt: null },
      { type: 'VerifiedApplied', at, attempt: state.lateApplied, evidence: 'late-outcome' },
    );
  }
  if (state.lateRefused === attempt && state.doubts.length === 0) {
    return happened(
      { type: 'AttemptUnknown', at, attempt, code, checkAt: null },
      { type: 'VerifiedAbsent', at, attempt, evidence: 'late-outcome' },
    );
  }
  if (!canBeResolved(state, unknown)) {
    return happened(
      { type: 'AttemptUnknown', at, attempt, code, checkAt: null },
      parked(at, 'unknown-outcome', policy),
    );
  }
  return happened({ type: 'AttemptUnknown', at, attempt, code, checkAt: firstCheckAt(policy, unknown) });
}

/** The partner already has a pass with our id: whether it is ours, a lookup tells. */
export function decideDuplicateIssue(
  state: Delivering,
  unknown: Omit<UnknownAttempt, 'code' | 'retryAfterMs'>,
): Decision {
  const { at } = unknown;
  return happened({ type: 'AttemptUnknown', at, attempt: state.attempt, code: duplicateIssueCode, checkAt: at });
}

/** A probe needs something to compare with; whatever would be sent again must have tries left. */
function canBeResolved(state: Delivering, { at, code, policy }: UnknownAttempt): boolean {
  const isUnprovenYes = isUnprovenCode(code) || hasUnprovenYes(state) || state.unproven.includes(state.attempt);
  switch (resolutionAfterYes(policy, isUnprovenYes)) {
    case 'park':
      return false;
    case 'look-up':
      return true;
    case 'probe-points':
      return state.before?.points !== undefined;
    case 'probe-content':
      return state.before?.differs === true;
    case 'resend':
    case 'resend-unique':
      return (
        hasTriesLeft(state, policy, 1) && !isPastResolving({ triedSince: state.triedSince, since: at, at }, policy)
      );
  }
}

/**
 * Whether another attempt is allowed. Answers and unknown outcomes use up tries; what never reached the partner does not.
 * @param open tries under way that the history does not count yet
 */
export function hasTriesLeft(history: IntentHistory, { retries }: DeliveryPolicy, open = 0): boolean {
  return history.answeredTries + history.unknownTries + open < retries.maxAttempts;
}
