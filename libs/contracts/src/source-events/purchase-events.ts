import { z } from 'zod';
import { identifierSchema, optionalIdentifierSchema } from './identifier.js';
import { moneySchema } from './money.js';

/** How many lines one purchase may have. */
export const purchaseLinesMax = 5000;

const text = z.string().nullish();

const purchase = {
  program: identifierSchema,
  /** Absent, `null` or empty: bought without a card. Such a purchase is ignored and counted. */
  memberId: optionalIdentifierSchema,
  purchaseId: identifierSchema,
  storeId: optionalIdentifierSchema,
  attributes: z.record(z.string(), z.unknown()).nullish(),
};

const lineSchema = z.looseObject({ sku: text, quantity: z.number().nullish(), net: moneySchema.nullish() });

/** `loyalty.purchase.completed.v1` */
export const purchaseCompletedSchema = z.looseObject({
  ...purchase,
  channel: text,
  total: moneySchema,
  lines: z.array(lineSchema).max(purchaseLinesMax).nullish(),
});
export type PurchaseCompleted = z.infer<typeof purchaseCompletedSchema>;

/** `loyalty.purchase.refunded.v1`: one event per refund, amounts positive. */
export const purchaseRefundedSchema = z.looseObject({
  ...purchase,
  refundId: identifierSchema,
  total: moneySchema,
  reason: text,
});
export type PurchaseRefunded = z.infer<typeof purchaseRefundedSchema>;

/** `loyalty.purchase.voided.v1`: the till took the purchase back before it was settled. */
export const purchaseVoidedSchema = z.looseObject({ ...purchase, total: moneySchema.nullish(), reason: text });
export type PurchaseVoided = z.infer<typeof purchaseVoidedSchema>;
