import { z } from 'zod';
import { timestampSchema } from './timestamp.js';
import { identifierSchema, storableTextSchema } from './query-values.js';

/** partner-api.md section 8. */
export const pageSizeMax = 2000;
const pageSizeDefault = 100;
const pageNumberMax = 1_000_000_000;

const comparisonSchema = z.enum(['eq', 'lt', 'gt', 'lte', 'gte']);

/**
 * Query of 4.5. Apart from email and unique_id the names are not shown there, nor are the first page's number (1) and
 * the default page size: they are this sandbox's choice.
 */
export const listingQuerySchema = z
  .strictObject({
    pageSize: wholeNumber(pageSizeMax)
      .default(pageSizeDefault)
      .meta({ type: 'integer', minimum: 1, maximum: pageSizeMax, default: pageSizeDefault }),
    pageNumber: wholeNumber(pageNumberMax)
      .default(1)
      .meta({ type: 'integer', minimum: 1, maximum: pageNumberMax, default: 1 }),
    countOnly: z.enum(['true', 'false']).default('false'),
    templateId: identifierSchema.optional(),
    templateTierId: identifierSchema.optional(),
    /** A status's name or its number. */
    statusCode: storableTextSchema.optional(),
    statusCodeQueryType: comparisonSchema.optional(),
    lastUpdated: timestampSchema.optional(),
    lastUpdatedQueryType: comparisonSchema.optional(),
    lastUpdatedStartDate: timestampSchema.optional(),
    lastUpdatedEndDate: timestampSchema.optional(),
    email: storableTextSchema.optional(),
    unique_id: storableTextSchema.optional(),
    serialNumber: storableTextSchema.optional(),
    groupId: storableTextSchema.optional(),
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
