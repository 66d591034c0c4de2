import { createHash } from 'node:crypto';
import { walletPageSizeMax, type WalletPass } from '#contracts';
import { z } from 'zod';
import type { Dialect, CallFailure, ListingSummary, ListOptions, PassListing, PassPage } from '#gateway/core';
import {
  isJsonObject,
  answerFailure,
  checkInput,
  listAlarmsMax,
  listPageSizeDefault,
  listPagesMax,
  GatewayError,
} from '#gateway/core';

/** A page of the listing as it could be read. */
export interface ReadPage {
  readonly rows: readonly unknown[];
  readonly passes: readonly WalletPass[];
  readonly pageNumber: number | null;
  readonly pageSize: number | null;
  readonly totalCount: number | null;
  readonly alarms: readonly string[];
}

/** Which pages a listing asks for. */
export interface PageNumbers {
  readonly pageSize: number;
  readonly startPage: number;
  readonly pagesMax: number;
  /** Rows on the pages before `startPage`: as the caller says, or as many as full pages hold. */
  readonly rowsBefore: number;
}

const numbersSchema = z.object({
  pageSize: z.int().min(1).max(walletPageSizeMax).default(listPageSizeDefault),
  startPage: z.int().min(0).optional(),
  rowsBefore: z.int().min(0).optional(),
  pagesMax: z.int().min(1).max(listPagesMax).default(listPagesMax),
});

/** @throws InvalidRequest */
export function pageNumbers(options: ListOptions, { list: { firstPage } }: Dialect): PageNumbers {
  const { pageSize, pagesMax, startPage = firstPage, rowsBefore } = checkInput(numbersSchema, options);
  const ofFullPages = Math.max(0, startPage - firstPage) * pageSize;
  return { pageSize, pagesMax, startPage, rowsBefore: rowsBefore ?? ofFullPages };
}

export interface PagedPassesOptions {
  readonly numbers: PageNumbers;
  /** @throws GatewayError */
  readonly fetchPage: (pageNumber: number) => Promise<ReadPage>;
}

/** A listing that asks for the next page when its passes are wanted. */
export class PagedPasses implements PassListing {
  private readonly progress: ListingProgress;
  private isBegun = false;

  constructor(private readonly options: PagedPassesOptions) {
    this.progress = new ListingProgress(options.numbers);
  }

  get summary(): ListingSummary {
    return this.progress.summary;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WalletPass, void, undefined> {
    const pages = this.pages();
    const left: WalletPass[] = [];
    while (await refill(left, pages)) {
      for (let next = left.pop(); next !== undefined; next = left.pop()) yield next;
    }
  }

  pages(): AsyncGenerator<PassPage, void, undefined> {
    if (this.isBegun) throw new TypeError('a listing can be iterated once');
    this.isBegun = true;
    return this.turnPages();
  }

  /** No variable may hold a page: it would live on while the next one is fetched. */
  private async *turnPages(): AsyncGenerator<PassPage, void, undefined> {
    while (this.progress.isOpen) yield this.turn();
  }

  private async turn(): Promise<PassPage> {
    const pageNumber = this.progress.pageNumber;
    const page = await this.fetch(pageNumber);
    const after = page === null ? 'complete' : this.progress.take(page);
    if (typeof after === 'object') throw this.failed(new GatewayError(after));
    if (after === 'complete') this.progress.finish('complete');
    // A page that only repeats the last one is behind it.
    const isNew = page !== null && this.progress.pageNumber > pageNumber;
    return { pageNumber, passes: isNew ? page.passes : [], totalCount: page?.totalCount ?? null };
  }

  /** @returns `null` for a page behind the last one that the partner refuses to show */
  private async fetch(pageNumber: number): Promise<ReadPage | null> {
    const overstepped = this.progress.overstepped();
    if (overstepped !== null) throw this.failed(new GatewayError(overstepped));
    try {
      return await this.options.fetchPage(pageNumber);
    } catch (error) {
      if (this.progress.isCountReached && isRefusal(error)) return null;
      throw this.failed(error);
    }
  }

  private failed(error: unknown): unknown {
    this.progress.finish('failed');
    return error;
  }
}

/** A definite no: a timeout or a server's trouble says nothing about the page. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof GatewayError) || error.stage !== 'answer') return false;
  return error.code === 'refused' || error.code === 'http-400' || error.code === 'http-404';
}

/** @returns whether there was another page; an empty one is one, too */
async function refill(left: WalletPass[], pages: AsyncGenerator<PassPage, void, undefined>): Promise<boolean> {
  const turned = await pages.next();
  if (turned.done === true) return false;
  for (const pass of turned.value.passes.toReversed()) left.push(pass);
  return true;
}

/** What to do after a page. */
type AfterPage = 'go-on' | 'complete' | CallFailure;

/**
 * The count of a listing under way. The partner's `totalCount` alone never decides: a short page ends a listing only
 * once as many rows were seen as the partner counts, a full one never does, and an empty one always. Each page's
 * fingerprint is kept, so that pages that repeat themselves end it, too.
 */
class ListingProgress {
  private pages = 0;
  private rows = 0;
  private unreadableRows = 0;
  private totalCount: number | null = null;
  private end: ListingSummary['end'] = 'open';
  private nextPage: number;
  private readonly alarms = new Set<string>();
  private readonly seen = new Set<string>();

  constructor(private readonly numbers: PageNumbers) {
    this.nextPage = numbers.startPage;
  }

  get isOpen(): boolean {
    return this.end === 'open';
  }

  get pageNumber(): number {
    return this.nextPage;
  }

  /** As many rows were seen as the partner counts. */
  get isCountReached(): boolean {
    return this.totalCount !== null && this.numbers.rowsBefore + this.rows >= this.totalCount;
  }

  get summary(): ListingSummary {
    const { end, pages, rows, unreadableRows, totalCount, nextPage } = this;
    const shapeAlarms = [...this.alarms];
    return { end, pages, rows, unreadableRows, totalCount, agrees: this.agrees(), nextPage, shapeAlarms };
  }

  /** Why no further page may be asked for; `null` when one may. */
  overstepped(): CallFailure | null {
    return this.pages < this.numbers.pagesMax ? null : answerFailure('too-many-pages');
  }

  take(page: ReadPage): AfterPage {
    const size = page.rows.length;
    const isRepeated = size > 0 && this.isRepeated(page);
    // A partner may answer a number behind the last page with the last page.
    if (isRepeated) return this.isCountReached ? 'complete' : answerFailure('page-repeated');
    this.raise(page);
    this.pages += 1;
    this.rows += size;
    this.unreadableRows += size - page.passes.length;
    this.totalCount = page.totalCount ?? this.totalCount;
    this.nextPage += 1;
    return size === 0 || (this.isShort(page) && this.isEndBelievable()) ? 'complete' : 'go-on';
  }

  finish(end: 'complete' | 'failed'): void {
    this.end = end;
  }

  private isRepeated({ rows }: ReadPage): boolean {
    const before = this.seen.size;
    return this.seen.add(pageFingerprint(rows)).size === before;
  }

  /** The partner may have a smaller page size than the one asked for. */
  private isShort({ rows, pageSize }: ReadPage): boolean {
    const answered = pageSize !== null && pageSize > 0 ? pageSize : this.numbers.pageSize;
    return rows.length < Math.min(answered, this.numbers.pageSize);
  }

  private isEndBelievable(): boolean {
    return this.totalCount === null || this.isCountReached;
  }

  private raise({ alarms, pageNumber }: ReadPage): void {
    const odd = pageNumber !== null && pageNumber !== this.nextPage ? ['pageNumber'] : [];
    for (const alarm of [...alarms, ...odd]) if (this.alarms.size < listAlarmsMax) this.alarms.add(alarm);
  }

  private agrees(): boolean | null {
    if (this.end !== 'complete' || this.totalCount === null) return null;
    return this.rows === Math.max(0, this.totalCount - this.numbers.rowsBefore);
  }
}

/** Equal for pages that hold the same passes in the same order, whatever has changed in them meanwhile. */
function pageFingerprint(rows: readonly unknown[]): string {
  const hash = createHash('sha256');
  for (const row of rows) hash.update(`${rowText(row)}\n`);
  return hash.digest('base64');
}

function rowText(row: unknown): string {
  if (!isJsonObject(row)) return JSON.stringify(row);
  const { passId, serialNumber } = row;
  const hasId = passId !== undefined || serialNumber !== undefined;
  return JSON.stringify(hasId ? [passId, serialNumber] : row);
}
