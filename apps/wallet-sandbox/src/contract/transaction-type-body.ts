import { z } from 'zod';
import { nameSchema } from './name.js';

/** Body of 4.8. Updatable properties beyond the name are not shown. */
export const transactionTypeBodySchema = z.strictObject({ name: nameSchema });

export type TransactionTypeBody = z.output<typeof transactionTypeBodySchema>;
