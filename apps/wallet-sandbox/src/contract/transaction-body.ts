import { z } from 'zod';
import { isoTimestampSchema, numberSchema } from './field-schemas.js';

/** Body of 4.7. Which properties are required is not shown; amount and transactionDate are taken to be. */
export const transactionBodySchema = z.strictObject({
  amount: numberSchema,
  transactionDate: isoTimestampSchema,
  attributes: z.record(z.string(), z.unknown()).default({}),
});

export type TransactionBody = z.output<typeof transactionBodySchema>;

/** Transaction of partner-api.md section 2, as it is answered. */
export const transactionSchema = z.object({
  transactionId: z.int(),
  transactionTypeId: z.int(),
  amount: numberSchema,
  transactionDate: z.string(),
});

export type TransactionAnswer = z.output<typeof transactionSchema>;
