import type { WalletPass } from '#contracts';
import type { ReadPage } from '../operations/list-passes.js';
import { GatewayError } from '../port/call.js';
import type { ListingSummary, PassListing, PassPage } from '../port/pass-listing.js';
import { ListingProgress } from './listing-progress.js';
import type { PageNumbers } from './page-numbers.js';

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
