import { z } from 'zod';
import { ATTRIBUTE_DATA_TYPES } from './brands.js';
import { exactNumberSchema, partnerIdSchema, partnerNameSchema, partnerTextSchema } from './values.js';

/** Largest amount text that is sent: far beyond any sale, small enough to be no weapon. */
const amountCharsMax = 40;

/** An amount as exact decimal text, written into the body as a JSON number: `-59.99`. No exponent, no leading zero. */
const amountTextSchema = z
  .string()
  .max(amountCharsMax)
  .regex(/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/);

/** Body of 4.7 in partner-api.md, before the amount becomes a number. Compiled: nearly all calls are of this kind. */
export const transactionBodySchema = z.compile(
  z.strictObject({
    amount: amountTextSchema,
    transactionDate: z.iso.datetime(),
    attributes: z.record(z.string(), z.unknown()),
  }),
  { strict: true },
);

/** Answer of 4.7. Unknown fields are kept; an amount that no float holds is its decimal text. Compiled like the body. */
export const transactionSchema = z.compile(
  z.looseObject({
    transactionId: partnerIdSchema,
    transactionTypeId: partnerIdSchema,
    amount: exactNumberSchema,
    transactionDate: z.string(),
  }),
  { strict: true },
);

/** A transaction as it could be read: every field may be absent, a mistyped one was left out. */
export type PartnerTransaction = Partial<z.infer<typeof transactionSchema>>;

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
