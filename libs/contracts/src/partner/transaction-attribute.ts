import { z } from 'zod';
import { ATTRIBUTE_DATA_TYPES } from './brand-attribute.js';
import { partnerIdSchema } from './partner-id.js';
import { partnerNameSchema, partnerTextSchema } from './partner-text.js';

/**
 * What 4.9 is asked for, in our words. The dialect gives the names of `description`, `uniqueKey` and `encrypted`, and
 * how each data type is written: partner-api.md does not list a transaction attribute's data types.
 */
export const transactionAttributeInputSchema = z.strictObject({
  name: partnerNameSchema,
  dataType: z.enum(ATTRIBUTE_DATA_TYPES),
  required: z.boolean(),
  description: partnerTextSchema.exactOptional(),
  uniqueKey: z.boolean().exactOptional(),
  encrypted: z.boolean().exactOptional(),
});

/** The answer of 4.9, the dialect's names turned into ours. Unknown fields are kept. */
export const transactionAttributeSchema = z.looseObject({
  transactionAttributeId: partnerIdSchema,
  name: z.string(),
  dataType: z.string(),
  required: z.boolean().nullish(),
  description: z.string().nullish(),
  transactionTypeId: partnerIdSchema.nullish(),
  brandId: partnerIdSchema.nullish(),
  programId: partnerIdSchema.nullish(),
  type: z.string().nullish(),
  uniqueKey: z.boolean().nullish(),
  encrypted: z.boolean().nullish(),
});

export type TransactionAttributeInput = z.infer<typeof transactionAttributeInputSchema>;

/** A transaction attribute as it could be read: every field may be absent, a mistyped one was left out. */
export type TransactionAttribute = Partial<z.infer<typeof transactionAttributeSchema>>;
