import { z } from 'zod';
import { effectOperations } from '../http/operation.js';

const ledgerPageSizeMax = 10_000;
const ledgerPageSizeDefault = 1_000;

/** Query of `GET /__ledger` (contracts.md section 9). */
export const ledgerQuerySchema = z.strictObject({
  after: z.coerce.number().int().nonnegative().default(0),
  limit: z.coerce.number().int().min(1).max(ledgerPageSizeMax).default(ledgerPageSizeDefault),
  unique_id: z.string().optional(),
  operation: z.enum(effectOperations).optional(),
});

export type LedgerQuery = z.output<typeof ledgerQuerySchema>;
