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
