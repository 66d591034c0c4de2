import type { z } from 'zod';
import {
  memberEnrolledSchema,
  memberMergedSchema,
  memberOptedOutSchema,
  memberUpdatedSchema,
} from './member-events.js';
import { purchaseCompletedSchema, purchaseRefundedSchema, purchaseVoidedSchema } from './purchase-events.js';
import { rewardGrantedSchema, rewardRevokedSchema } from './reward-events.js';

/** The nine event types of contracts.md section 1, without a producer's reverse-DNS prefix, and what `data` must be. */
export const SOURCE_EVENT_SCHEMAS = {
  'loyalty.member.enrolled.v1': memberEnrolledSchema,
  'loyalty.member.updated.v1': memberUpdatedSchema,
  'loyalty.member.opted-out.v1': memberOptedOutSchema,
  'loyalty.member.merged.v1': memberMergedSchema,
  'loyalty.purchase.completed.v1': purchaseCompletedSchema,
  'loyalty.purchase.refunded.v1': purchaseRefundedSchema,
  'loyalty.purchase.voided.v1': purchaseVoidedSchema,
  'loyalty.reward.granted.v1': rewardGrantedSchema,
  'loyalty.reward.revoked.v1': rewardRevokedSchema,
} as const;

export type SourceEventName = keyof typeof SOURCE_EVENT_SCHEMAS;

/** The CloudEvents 1.0 attributes of one record, after validation. */
export interface SourceEventFrame {
  readonly id: string;
  readonly source: string;
  /** As sent, a reverse-DNS prefix included. */
  readonly type: string;
  readonly subject: string | null;
  /** As sent: RFC 3339 with offset. */
  readonly time: string;
  /** `time` in epoch milliseconds, digits below a millisecond cut off. */
  readonly timeMs: number;
  readonly sequence: string | null;
  readonly traceparent: string | null;
  /** `data` as sent, before any upcast: what the identity of the event is compared by. Its values are JSON. */
  readonly sentData: unknown;
}

/** One event type with its validated data; `name` is the newest version of the type, without prefix. */
export interface SourceEventOf<Name extends SourceEventName> extends SourceEventFrame {
  readonly name: Name;
  readonly data: z.infer<(typeof SOURCE_EVENT_SCHEMAS)[Name]>;
}

/** A validated source event: a union on `name`. */
export type SourceEvent = { [Name in SourceEventName]: SourceEventOf<Name> }[SourceEventName];
