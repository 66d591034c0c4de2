import { z } from 'zod';
import { attributeSourcesSchema } from './attribute-source-schema.js';
import { nameSchema, partnerIdSchema, pointsDeltaSchema } from './scalars.js';

const notMapped = z.strictObject({ via: z.literal('none') });

function transactionSchema(defaultSign: 1 | -1) {
  const mapping = z.strictObject({
    via: z.literal('transaction'),
    transactionTypeId: partnerIdSchema,
    sign: z.union([z.literal(1), z.literal(-1)], { error: 'must be 1 or -1' }).default(defaultSign),
    attributes: attributeSourcesSchema,
    uniqueAttribute: nameSchema.nullish().transform((name) => name ?? null),
    uniqueEnforced: z.boolean().default(false),
    pointsDelta: pointsDeltaSchema,
  });
  return z.preprocess(withVia('transaction'), z.discriminatedUnion('via', [mapping, notMapped]));
}

/** `completed` and `refunded` may be missing (then unroutable); a void without mapping is ignored. */
export const purchasesSchema = z
  .strictObject({
    completed: transactionSchema(1).nullable().default(null),
    refunded: transactionSchema(-1).nullable().default(null),
    voided: transactionSchema(-1).default({ via: 'none' }),
  })
  .prefault({});

const rewardShape = { id: partnerIdSchema, pointsDelta: pointsDeltaSchema };

/** `free-coffee: "9001"` or `free-coffee: { id: "9001", pointsDelta: -10 }`. */
export const rewardsSchema = z.record(nameSchema, z.preprocess(idAsObject, z.strictObject(rewardShape))).default({});

export const revokedSchema = z
  .preprocess(
    withVia('reward'),
    z.discriminatedUnion('via', [notMapped, z.strictObject({ via: z.literal('reward'), ...rewardShape })]),
  )
  .default({ via: 'none' });

/** A mapping need not say `via` when it could mean only one thing. */
function withVia(via: string) {
  return (input: unknown): unknown =>
    typeof input === 'object' && input !== null && !('via' in input) ? { via, ...input } : input;
}

function idAsObject(input: unknown): unknown {
  return typeof input === 'string' || typeof input === 'number' ? { id: input } : input;
}
