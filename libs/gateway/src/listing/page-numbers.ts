import { walletPageSizeMax } from '#contracts';
import { z } from 'zod';
import type { Dialect } from '../dialect/dialect-schema.js';
import { listPageSizeDefault, listPagesMax } from '../limits.js';
import type { ListOptions } from '../port/pass-listing.js';
import { checkInput } from '../wallet/check-input.js';

/** Which pages a listing asks for. */
export interface PageNumbers {
  readonly pageSize: number;
  readonly startPage: number;
  readonly pagesMax: number;
  /** Rows on the pages before `startPage`: as was told, or as many as full pages hold. */
  readonly rowsBefore: number;
}

const schema = z.object({
  pageSize: z.int().min(1).max(walletPageSizeMax).default(listPageSizeDefault),
  startPage: z.int().min(0).optional(),
  rowsBefore: z.int().min(0).optional(),
  pagesMax: z.int().min(1).max(listPagesMax).default(listPagesMax),
});

/** @throws InvalidRequest */
export function pageNumbers(options: ListOptions, { list: { firstPage } }: Dialect): PageNumbers {
  const { pageSize, pagesMax, startPage = firstPage, rowsBefore } = checkInput(schema, options);
  const ofFullPages = Math.max(0, startPage - firstPage) * pageSize;
  return { pageSize, pagesMax, startPage, rowsBefore: rowsBefore ?? ofFullPages };
}
