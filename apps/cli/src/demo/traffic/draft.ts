import type { QuarantineReason } from '#intents/core';
import type { Content, OtherRequest, Topic } from '#shop';

/** What must be found in the partner's ledger: written down by the generator, before anything was sent. */
export interface ExpectedEffect {
  readonly operation: 'issue' | 'issue-via-workflow' | 'update-via-workflow' | 'transaction' | 'reward';
  readonly brandId: string;
  readonly programId: string;
  readonly memberId: string;
  /** What tells it from the member's other effects: receipt and amount, the reward, the updated value. */
  readonly what: string;
}

/** What must become of one emitted record. Nothing of it is read from the daemon's code. */
export type Expectation =
  /** The effect, exactly once. A person may have to look first: parked is distinguished from lost. */
  | { readonly kind: 'effect'; readonly effect: ExpectedEffect }
  /** Never the effect, because the member never enrols: parked. */
  | { readonly kind: 'parked'; readonly effect: ExpectedEffect }
  /** Takes back a purchase: from now on its effect may be missing, if it was cancelled. */
  | { readonly kind: 'void'; readonly effect: ExpectedEffect }
  /** A duplicate, a tombstone, a purchase without a member: no effect of its own. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'quarantined'; readonly reason: QuarantineReason };

/** Equal for equal effects. */
export function effectKey({ operation, brandId, programId, memberId, what }: ExpectedEffect): string {
  return JSON.stringify([brandId, programId, memberId, operation, what]);
}

/** One record to be emitted, and what must become of it. */
export interface Draft {
  readonly topic: Topic;
  readonly key: string | null;
  readonly content: Content;
  readonly expectation: Expectation;
  /** What it plays, for reports: `purchase.completed`, `duplicate`, ... */
  readonly role: string;
  /** What another system does at the partner just before; null: nothing. */
  readonly other: OtherRequest | null;
}
