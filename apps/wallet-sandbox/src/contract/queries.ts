import { z } from 'zod';
import { storableTextSchema as text } from './query-values.js';

/** Query of 4.1: at least one, all of them must fit. */
export const lookupQuerySchema = z
  .strictObject({ person_id: text, email: text, unique_id: text })
  .partial()
  .refine((query) => Object.keys(query).length > 0, 'one of unique_id, person_id, email is required');

/** Query of 4.6; the names passId and serialNumber are not shown there and are this sandbox's choice. */
export const rewardQuerySchema = z
  .strictObject({ passId: z.string().regex(/^\d{1,15}$/, 'must be a number'), serialNumber: text, unique_id: text })
  .partial()
  .refine((query) => Object.keys(query).length > 0, 'one of unique_id, passId, serialNumber is required');

/** Query of 4.7; the name serialNumber is not shown there and is this sandbox's choice. */
export const transactionQuerySchema = z
  .strictObject({ serialNumber: text, unique_id: text })
  .partial()
  .refine((query) => Object.keys(query).length > 0, 'one of unique_id, serialNumber is required');

export type LookupQuery = z.output<typeof lookupQuerySchema>;
export type RewardQuery = z.output<typeof rewardQuerySchema>;
export type TransactionQuery = z.output<typeof transactionQuerySchema>;
