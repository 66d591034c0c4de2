import { z } from 'zod';
import { identifierSchema, storableTextSchema as text, timestampSchema } from './field-schemas.js';

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

/** partner-api.md section 8. */
const pageSizeMax = 2000;
const pageSizeDefault = 100;
const pageNumberMax = 1_000_000_000;

const comparisonSchema = z.enum(['eq', 'lt', 'gt', 'lte', 'gte']);

/**
 * Query of 4.5. Apart from email and unique_id the names are not shown there, nor are the first page's number (1) and
 * the default page size: they are this sandbox's choice.
 */
export const listingQuerySchema = z
  .strictObject({
    pageSize: wholeNumber(pageSizeMax).default(pageSizeDefault),
    pageNumber: wholeNumber(pageNumberMax).default(1),
    countOnly: z.enum(['true', 'false']).default('false'),
    templateId: identifierSchema.optional(),
    templateTierId: identifierSchema.optional(),
    /** A status's name or its number. */
    statusCode: text.optional(),
    statusCodeQueryType: comparisonSchema.optional(),
    lastUpdated: timestampSchema.optional(),
    lastUpdatedQueryType: comparisonSchema.optional(),
    lastUpdatedStartDate: timestampSchema.optional(),
    lastUpdatedEndDate: timestampSchema.optional(),
    email: text.optional(),
    unique_id: text.optional(),
    serialNumber: text.optional(),
    groupId: text.optional(),
  })
  .check(({ value, issues }) => {
    for (const filter of ['statusCode', 'lastUpdated'] as const) {
      const queryType = `${filter}QueryType` as const;
      if (value[queryType] === undefined || value[filter] !== undefined) continue;
      issues.push({ code: 'custom', input: value, path: [queryType], message: `says nothing without ${filter}` });
    }
  });

export type ListingQuery = z.output<typeof listingQuerySchema>;

function wholeNumber(max: number): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d{1,10}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(1).max(max));
}
