import { z } from 'zod';
import { storableTextSchema } from '../contract/field-schemas.js';
import { effectOperations } from '../http/operation.js';

const ledgerPageSizeMax = 10_000;
const ledgerPageSizeDefault = 1_000;

/** Query of `GET /__ledger` (contracts.md section 9), and three filters more. */
export const ledgerQuerySchema = z.strictObject({
  after: wholeNumber().pipe(z.int()).default(0),
  limit: wholeNumber().pipe(z.int().min(1).max(ledgerPageSizeMax)).default(ledgerPageSizeDefault),
  unique_id: storableTextSchema.optional(),
  operation: z.enum(effectOperations).optional(),
  request_id: storableTextSchema.optional(),
  brand_id: storableTextSchema.optional(),
  program_id: storableTextSchema.optional(),
});

export type LedgerQuery = z.output<typeof ledgerQuerySchema>;

function wholeNumber(): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number);
}
