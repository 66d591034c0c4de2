import { z } from 'zod';
import { exactNumberSchema } from './exact-number.js';
import { partnerIdSchema } from './partner-id.js';

/** Largest amount text that is sent: far beyond any sale, small enough to be no weapon. */
const amountCharsMax = 40;

/** An amount as exact decimal text, written into the body as a JSON number: `-59.99`. No exponent, no leading zero. */
export const amountTextSchema = z
  .string()
  .max(amountCharsMax)
  .regex(/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/);

/** Body of 4.7 in partner-api.md, before the amount becomes a number. */
export const transactionBodySchema = z.strictObject({
  amount: amountTextSchema,
  transactionDate: z.iso.datetime(),
  attributes: z.record(z.string(), z.unknown()),
});

/** Answer of 4.7. Unknown fields are kept; an amount that no float holds is its decimal text. */
export const transactionSchema = z.looseObject({
  transactionId: partnerIdSchema,
  transactionTypeId: partnerIdSchema,
  amount: exactNumberSchema,
  transactionDate: z.string(),
});

export type TransactionBody = z.infer<typeof transactionBodySchema>;

/** A transaction as it could be read: every field may be absent, a mistyped one was left out. */
export type PartnerTransaction = Partial<z.infer<typeof transactionSchema>>;
