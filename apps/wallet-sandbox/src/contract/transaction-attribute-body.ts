import { z } from 'zod';
import { dataTypeSchema } from './data-type.js';
import { nameSchema } from './name.js';

/** Body of 4.9; only the name is required. The names uniqueKey and encrypted are not shown: this sandbox's choice. */
export const transactionAttributeBodySchema = z.strictObject({
  name: nameSchema,
  dataType: dataTypeSchema.default('string'),
  required: z.boolean().default(false),
  description: z.string().optional(),
  uniqueKey: z.boolean().default(false),
  encrypted: z.boolean().default(false),
});

export type TransactionAttributeBody = z.output<typeof transactionAttributeBodySchema>;

/** Transaction attribute of partner-api.md section 2, as it is answered. */
export const transactionAttributeSchema = z.object({
  transactionAttributeId: z.int(),
  name: nameSchema,
  dataType: dataTypeSchema,
  required: z.boolean(),
  description: z.string().optional(),
  transactionTypeId: z.int(),
  brandId: z.int(),
  programId: z.int(),
  /** What it may be is not shown; the sandbox knows of one type. */
  type: z.literal('CUSTOM'),
  uniqueKey: z.boolean(),
  encrypted: z.boolean(),
});

export type TransactionAttributeAnswer = z.output<typeof transactionAttributeSchema>;
