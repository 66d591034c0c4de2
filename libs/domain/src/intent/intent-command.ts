import type { AttemptOutcome } from '../delivery/attempt-outcome.js';
import type { DeliveryPolicy } from './delivery-policy.js';

/** What the daemon asks the core to decide. Time and chance come in as data. */
export type IntentCommand =
  | { readonly type: 'RecordIntent'; readonly at: number; readonly parkedAs: 'unroutable' | 'merged' | null }
  | { readonly type: 'BeginAttempt'; readonly at: number }
  | {
      readonly type: 'RecordOutcome';
      readonly at: number;
      readonly attempt: number;
      readonly outcome: AttemptOutcome;
      readonly policy: DeliveryPolicy;
      readonly chance: number;
    }
  /** A worker was lost between `AttemptBegun` and its outcome: found by the next claim. */
  | { readonly type: 'RecordLostAttempt'; readonly at: number; readonly policy: DeliveryPolicy }
  /** An outcome arrived after the lane went on without it. */
  | {
      readonly type: 'RecordLateOutcome';
      readonly at: number;
      readonly attempt: number;
      readonly outcome: AttemptOutcome;
    }
  /** The partner has no pass for the member (yet). */
  | { readonly type: 'AwaitPass'; readonly at: number; readonly policy: DeliveryPolicy; readonly chance: number }
  | { readonly type: 'ReleaseIntent'; readonly at: number }
  | { readonly type: 'CancelIntent'; readonly at: number; readonly by: string; readonly reason: string };
