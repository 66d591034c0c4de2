import type { DeliveryPolicy } from '../intent/delivery-policy.js';
import type { ResendBasis } from '../intent/intent-event.js';
import { hasUnprovenYes, type IntentHistory, type UnknownIntent } from '../intent/intent-state.js';
import { needsPass } from '../operation.js';
import { forgottenCode, resolutionAfterRecovery } from './resolution-after-recovery.js';
import type { Resolution } from './resolution.js';

/** An issue that was refused as a duplicate: the pass is looked up, whatever the policy says. */
export const duplicateIssueCode = 'duplicate-refused';

/** What to do next about an attempt whose outcome is unknown. */
export type ResolutionStep =
  /** Nothing before this time (epoch milliseconds). */
  | { readonly kind: 'wait'; readonly until: number }
  /** Ask for the pass. `provesAbsence`: the attempt can no longer take effect, so a twofold "no" counts. */
  | { readonly kind: 'look-up'; readonly provesAbsence: boolean }
  /** Read the pass and compare it with what it showed before the attempt. */
  | { readonly kind: 'read' }
  | { readonly kind: 'resend'; readonly basis: ResendBasis }
  /** The attempt's own worker has told since that it was applied. */
  | { readonly kind: 'settle'; readonly attempt: number }
  /** No evidence can be had: a person must look. */
  | { readonly kind: 'park' };

/** Pure. Nothing is sent again before `inFlightMs` have passed: until then the attempt may still take effect. */
export function resolutionStep(state: UnknownIntent, policy: DeliveryPolicy, now: number): ResolutionStep {
  const settledAt = state.endedBy + policy.inFlightMs;
  if (state.lateApplied !== null) return { kind: 'settle', attempt: state.lateApplied };
  if (state.code === duplicateIssueCode) return { kind: 'look-up', provesAbsence: now >= settledAt };
  switch (resolutionOfAttempt(state, policy)) {
    case 'look-up':
      return { kind: 'look-up', provesAbsence: now >= settledAt };
    case 'resend-unique':
      return resend(settledAt, 'unique-attribute', now);
    case 'resend':
      return resend(settledAt, 'policy', now);
    case 'probe-points':
      return state.before?.points === undefined ? { kind: 'park' } : { kind: 'read' };
    case 'probe-content':
      return state.before?.differs === true ? { kind: 'read' } : { kind: 'park' };
    case 'park':
      return { kind: 'park' };
  }
}

/** What a lost history may have sent is resolved more carefully than an answer that was lost. */
function resolutionOfAttempt(state: UnknownIntent, policy: DeliveryPolicy): Resolution {
  if (state.code === forgottenCode) return resolutionAfterRecovery(policy);
  return resolutionAfterYes(policy, hasUnprovenYes(state));
}

/**
 * `resend` accepts a second call where an answer was lost. Where the partner answered yes, and only the proof is missing,
 * it most likely did it: what would take effect twice is not sent again, neither for this answer nor for the next one
 * like it.
 */
export function resolutionAfterYes({ operation, resolution }: DeliveryPolicy, isUnprovenYes: boolean): Resolution {
  return isUnprovenYes && needsPass(operation) && resolution === 'resend' ? 'park' : resolution;
}

/** The same where it was decided already that the intent is sent again, and the unproven yes came late. */
export function isHeldBack(history: IntentHistory, { operation, resolution }: DeliveryPolicy): boolean {
  return needsPass(operation) && resolution !== 'resend-unique' && hasUnprovenYes(history);
}

function resend(settledAt: number, basis: ResendBasis, now: number): ResolutionStep {
  return now >= settledAt ? { kind: 'resend', basis } : { kind: 'wait', until: settledAt };
}
