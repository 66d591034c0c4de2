import type { AttemptOutcome } from '../delivery/classify-outcome.js';
import type { IdentityPlace } from '../identity/judge-identities.js';
import type { DeliveryPolicy } from '../resolution/resolution.js';
import type { IntentEvent, PassBefore, RecordPosition } from './intent-event.js';

/**
 * How far the purchase is that a refund waits for. `unknown`: nobody has told of it yet. `gone`: cancelled, it will never be
 * delivered. `behind`: it came later, so that its lane comes to it only once the refund is out of the way. `parked`: a person
 * must look, and until then nothing becomes of it. `held`: it stepped aside, and comes back by itself. `taken-back`: of a reward, it is
 * there, and was voided too late to cancel it.
 */
export type PurchaseStatus = 'unknown' | 'open' | 'parked' | 'held' | 'delivered' | 'taken-back' | 'gone' | 'behind';

/** What a look at the partner showed about an attempt whose outcome is unknown. */
export type Finding =
  /** The member's pass is there, and carries our id. */
  | { readonly kind: 'pass-found' }
  /** A lookup was refused as the dialect says, and the listing by our id counted nothing. */
  | { readonly kind: 'pass-absent' }
  | { readonly kind: 'points'; readonly points: number }
  /** Every path that the attempt changes is as wanted. */
  | { readonly kind: 'as-wanted' }
  /** An answer that proves nothing, or none. */
  | { readonly kind: 'inconclusive' };

interface ByOperator {
  readonly at: number;
  readonly by: string;
  readonly reason: string;
}

interface Drawn {
  readonly at: number;
  readonly policy: DeliveryPolicy;
  /** Uniform in [0, 1). */
  readonly chance: number;
}

/** What an intent steps aside for: a hold, or a sale that did. */
export type HeldBy = { readonly heldBy: string; readonly heldUntil: number } | { readonly awaits: IdentityPlace };

/** What the daemon asks the core to decide. Time and chance come in as data. */
export type IntentCommand =
  | { readonly type: 'RecordIntent'; readonly at: number; readonly parkedAs: 'unroutable' | 'merged' | null }
  | { readonly type: 'BeginAttempt'; readonly at: number; readonly before?: PassBefore }
  | ({ readonly type: 'RecordOutcome'; readonly attempt: number; readonly outcome: AttemptOutcome } & Drawn)
  /**
   * A worker was lost between `AttemptBegun` and its outcome: found by the next claim. `endedBy`: that was before the
   * database was restored, and what came up to then is forgotten.
   */
  | ({ readonly type: 'RecordLostAttempt'; readonly endedBy?: number } & Drawn)
  /** The database was restored: what came after the restored moment, up to `endedBy`, is forgotten. */
  | { readonly type: 'RecordForgotten'; readonly at: number; readonly endedBy: number; readonly policy: DeliveryPolicy }
  /** An outcome arrived after the lane went on without it. */
  | {
      readonly type: 'RecordLateOutcome';
      readonly at: number;
      readonly attempt: number;
      readonly outcome: { readonly kind: AttemptOutcome['kind']; readonly code: string };
    }
  /** The answer that an attempt in doubt was given proves it after all, as it is read now. */
  | { readonly type: 'RecordReread'; readonly at: number; readonly attempt: number }
  /** Evidence about an attempt whose outcome is unknown. */
  | ({ readonly type: 'RecordFinding'; readonly finding: Finding } & Drawn)
  /** An enrolment that is about to be sent: its member has a pass already, or several. */
  | ({ readonly type: 'RecordPassThere'; readonly isOnlyOne: boolean } & Drawn)
  /** An attempt's outcome is unknown, and no evidence has to be asked for: send again, or park. */
  | ({ readonly type: 'ResolveUnknown' } & Drawn)
  /** The partner has no pass for the member (yet). `neverEnrolled`: nothing in the lane can have made one. */
  | ({ readonly type: 'AwaitPass'; readonly neverEnrolled?: boolean } & Drawn)
  /**
   * A refund behind its purchase. `place`: where that is; absent or null: nobody knows. `takesBack`: the counter-entry of a void or
   * revocation, which goes with it; `isGrant`: so does the reward of a purchase.
   */
  | ({
      readonly type: 'AwaitPurchase';
      readonly purchase: PurchaseStatus;
      readonly place?: IdentityPlace | null;
      readonly takesBack?: boolean;
      readonly isGrant?: boolean;
    } & Drawn)
  | { readonly type: 'ReleaseIntent'; readonly at: number }
  /** Its call must not be made now, or it goes after a sale whose call must not: the member's other work goes on without it. */
  | { readonly type: 'StepAside'; readonly at: number; readonly policy: DeliveryPolicy; readonly behind: HeldBy }
  /** It is good no longer: nothing more is sent for it. */
  | { readonly type: 'ExpireIntent'; readonly at: number; readonly policy: DeliveryPolicy }
  /**
   * `isForgotten`: a lost history may have sent it. `isNotDelivered`: who cancels it has looked, and says that nothing of it
   * stands at the partner.
   */
  | ({
      readonly type: 'CancelIntent';
      readonly cause?: RecordPosition;
      readonly isForgotten?: boolean;
      readonly isNotDelivered?: boolean;
    } & ByOperator)
  /** A void or revocation of what is under way or in doubt. */
  | ({ readonly type: 'RequestCancel'; readonly cause: RecordPosition } & ByOperator)
  /** Send a parked intent again; `overtaken`: how many later ones of its lane have been settled before it. */
  | ({ readonly type: 'ReplayIntent'; readonly overtaken: number } & ByOperator)
  /** A person says what became of a parked intent. `isKept`: what was not delivered is not sent by that word alone. */
  | ({
      readonly type: 'ResolveIntent';
      readonly as: 'delivered' | 'not-delivered';
      readonly isKept?: boolean;
    } & ByOperator)
  /** The pass that a delivered enrolment has issued is gone: `job` has found it so; absent: the lane knows. */
  | ({ readonly type: 'ReissueIntent'; readonly overtaken: number; readonly job?: string } & ByOperator)
  /** Another command takes the place of the recorded one. `amount`: of that, where it is another one. */
  | ({ readonly type: 'CorrectIntent'; readonly amount?: string } & ByOperator);

/** Why a command changed nothing. */
export type IgnoredCommandReason =
  | 'already-applied'
  | 'already-requested'
  | 'cancel-requested'
  | 'already-recorded'
  | 'already-settled'
  | 'blocks'
  | 'erased'
  | 'in-doubt'
  | 'in-flight'
  | 'not-begun'
  | 'not-delivered'
  | 'not-parked'
  | 'not-recorded'
  | 'not-unknown'
  | 'not-waiting'
  | 'other-attempt'
  | 'still-unknown'
  | 'still-waiting'
  | 'voided'
  | 'waiting-for-pass';

/** Result of `decide`: facts to append, or nothing to do and why. */
export type Decision =
  | { readonly kind: 'events'; readonly events: readonly IntentEvent[] }
  | { readonly kind: 'ignored'; readonly reason: IgnoredCommandReason };

export function happened(...events: readonly IntentEvent[]): Decision {
  return { kind: 'events', events };
}

export function ignored(reason: IgnoredCommandReason): Decision {
  return { kind: 'ignored', reason };
}
