import type { Operation } from '../operation.js';
import type { PartnerCommand } from './partner-command.js';
import type { IgnoredReason, QuarantineReason } from './route-reasons.js';

/**
 * A business key (contracts.md section 1, Identity): the till's own number for a thing, unique per program for ever.
 * `parts` are joined by the caller into the text that is hashed into `dedup.key`; an enrolment's key is completed by
 * the member's generation, which only the database knows (`perGeneration`).
 */
export interface BusinessKey {
  readonly scope: 'purchase' | 'refund' | 'void' | 'grant' | 'revocation' | 'enrolment';
  readonly parts: readonly string[];
  readonly perGeneration: boolean;
}

/** What stays readable beside the encrypted payload, for search and for the value at stake. Never personal. */
export interface IntentFacts {
  readonly storeId?: string;
  readonly purchaseId?: string;
  readonly amountMinor?: number;
  readonly currency?: string;
}

export interface RoutedIntent {
  readonly program: string;
  readonly memberId: string;
  readonly operation: Operation;
  /** Absent only for an intent that is born parked. */
  readonly command: PartnerCommand | null;
  readonly businessKey: BusinessKey | null;
  /** Canonical text of what must be equal when the same business key comes again under a new event id. */
  readonly businessContent: string | null;
  /** The intent waits until the intent with this business key has settled (a refund for its purchase). */
  readonly waitsFor: BusinessKey | null;
  /** Born parked: no call can be made, a person must look. */
  readonly parked: { readonly reason: 'unroutable' | 'merged'; readonly detail: string } | null;
  readonly facts: IntentFacts;
}

/**
 * Ask to cancel what has not begun: a voided purchase, a revoked grant, everything of a member who left.
 * Cancels come before the `intents` of the same result: those are never cancelled by it.
 */
export interface CancelRequest {
  readonly program: string;
  readonly memberId: string;
  readonly target: BusinessKey | 'everything-queued';
  readonly reason: 'voided' | 'revoked' | 'opted-out';
  /**
   * To be recorded when the target has begun or was delivered: the mapped counter-entry, or an intent born parked.
   * `null`: nothing, the event then counts as ignored `void-after-delivery`.
   */
  readonly ifTooLate: RoutedIntent | null;
}

/** What an event does to the member itself, beside its intents. */
export interface MemberEffects {
  /** The member left the program: the next enrolment is a new one (contracts.md section 1, Identity). */
  readonly raisesGeneration: boolean;
  /** The erasure of contracts.md section 7 is to run once the intents of this event are settled. */
  readonly erase: boolean;
}

/** Total result of routing one valid source event through the programs file. Pure and deterministic. */
export type RouteResult =
  | {
      readonly kind: 'routed';
      readonly intents: readonly RoutedIntent[];
      readonly cancels: readonly CancelRequest[];
      /** Only where there are any. */
      readonly memberEffects?: MemberEffects;
    }
  | { readonly kind: 'ignored'; readonly reason: IgnoredReason }
  | { readonly kind: 'quarantine'; readonly reason: QuarantineReason; readonly detail: string };
