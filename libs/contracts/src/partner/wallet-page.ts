import { z } from 'zod';

/** Largest page of 4.5 (partner-api.md section 8). */
export const walletPageSizeMax = 2_000;

/** Query types of 4.5's status and last-updated filters. */
export const QUERY_TYPES = ['eq', 'lt', 'gt', 'lte', 'gte'] as const;

export type QueryType = (typeof QUERY_TYPES)[number];

/** The answer of 4.5; the rows are read one by one, so that an odd one costs no page. Unknown fields are kept. */
export const walletPageSchema = z.looseObject({
  data: z.array(z.unknown()),
  pageNumber: z.int(),
  pageSize: z.int(),
  totalCount: z.int().nonnegative(),
});
