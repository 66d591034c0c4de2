import { z } from 'zod';
import { partnerIdSchema } from './partner-id.js';
import { partnerNameSchema } from './partner-text.js';

/** Body of 4.8 in partner-api.md. What else can be changed is not shown (4.14). */
export const transactionTypeChangeSchema = z.strictObject({ name: partnerNameSchema });

/** The answer of 4.8. Unknown fields are kept. */
export const transactionTypeSchema = z.looseObject({
  transactionTypeId: partnerIdSchema,
  name: z.string(),
  programId: partnerIdSchema,
});

export type TransactionTypeChange = z.infer<typeof transactionTypeChangeSchema>;

/** A transaction type as it could be read: every field may be absent, a mistyped one was left out. */
export type TransactionType = Partial<z.infer<typeof transactionTypeSchema>>;
