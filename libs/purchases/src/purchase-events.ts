import { z } from 'zod';

import type { EventOf } from '#events/core';
import { identifierSchema, moneySchema, optionalIdentifierSchema, optionalText } from '#events/core';

/** How many lines one purchase may have. */
const purchaseLinesMax = 5000;

const purchase = {
  program: identifierSchema,
  /** Absent, `null` or empty: bought without a card. Such a purchase is ignored and counted; a void or refund needs none. */
  memberId: optionalIdentifierSchema,
  purchaseId: identifierSchema,
  storeId: optionalIdentifierSchema,
  attributes: z.record(z.string(), z.unknown()).nullish(),
};

const lineSchema = z.looseObject({ sku: optionalText, quantity: z.number().nullish(), net: moneySchema.nullish() });

/** `loyalty.purchase.completed.v1` */
export const purchaseCompletedSchema = z.looseObject({
  ...purchase,
  channel: optionalText,
  total: moneySchema,
  lines: z.array(lineSchema).max(purchaseLinesMax).nullish(),
});

/**
 * The purchase that is meant, where the till that takes it back would name another by its own data: every part of the
 * program's `purchaseKey`.
 */
const originalSchema = z.looseObject({ purchaseId: optionalIdentifierSchema, storeId: optionalIdentifierSchema });

/** `loyalty.purchase.refunded.v1`: one event per refund, amounts positive. */
export const purchaseRefundedSchema = z.looseObject({
  ...purchase,
  refundId: identifierSchema,
  /** Of the return itself, by whichever system told: two refunds are one only where it is equal. */
  returnId: optionalIdentifierSchema,
  total: moneySchema,
  reason: optionalText,
  original: originalSchema.nullish(),
});

/** `loyalty.purchase.voided.v1`: the till took the purchase back before it was settled, or the refund that `original.refundId` names. */
export const purchaseVoidedSchema = z.looseObject({
  ...purchase,
  total: moneySchema.nullish(),
  reason: optionalText,
  original: z.looseObject({ ...originalSchema.shape, refundId: optionalIdentifierSchema }).nullish(),
});

/**
 * `loyalty.purchase.corrected.v1`: the total of a purchase that stands was wrong. Amounts positive; `previousTotal` is what the
 * purchase had by all that was told of it before.
 */
export const purchaseCorrectedSchema = z.looseObject({
  ...purchase,
  correctionId: identifierSchema,
  previousTotal: moneySchema,
  total: moneySchema,
  reason: optionalText,
  original: originalSchema.nullish(),
});

export type Completed = EventOf<'loyalty.purchase.completed.v1', z.infer<typeof purchaseCompletedSchema>>;
export type Refunded = EventOf<'loyalty.purchase.refunded.v1', z.infer<typeof purchaseRefundedSchema>>;
export type Voided = EventOf<'loyalty.purchase.voided.v1', z.infer<typeof purchaseVoidedSchema>>;
export type Corrected = EventOf<'loyalty.purchase.corrected.v1', z.infer<typeof purchaseCorrectedSchema>>;
