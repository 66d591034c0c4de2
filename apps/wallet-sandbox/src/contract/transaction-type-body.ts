import { z } from 'zod';
import { nameSchema } from './name.js';

/** Body of 4.8. Updatable properties beyond the name are not shown. */
export const transactionTypeBodySchema = z.strictObject({ name: nameSchema });

export type TransactionTypeBody = z.output<typeof transactionTypeBodySchema>;

/** Transaction type of partner-api.md section 2, as it is answered. */
export const transactionTypeSchema = z.object({ transactionTypeId: z.int(), name: nameSchema, programId: z.int() });

export type TransactionTypeAnswer = z.output<typeof transactionTypeSchema>;
