import type { WalletPass } from '#contracts';
import type { ReadPage } from '../operations/list-passes.js';
import { GatewayError } from '../port/gateway-error.js';
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
    for await (const { passes } of this.pages()) yield* passes;
  }

  pages(): AsyncGenerator<PassPage, void, undefined> {
    if (this.isBegun) throw new TypeError('a listing can be iterated once');
    this.isBegun = true;
    return this.turnPages();
  }

  private async *turnPages(): AsyncGenerator<PassPage, void, undefined> {
    for (let isOver = false; !isOver;) {
      const pageNumber = this.progress.pageNumber;
      const page = await this.fetch(pageNumber);
      const after = page === null ? 'complete' : this.progress.take(page);
      if (typeof after === 'object') throw this.failed(new GatewayError(after));
      isOver = after === 'complete';
      if (isOver) this.progress.finish('complete');
      const isNew = page !== null && this.progress.pageNumber > pageNumber;
      if (isNew) yield { pageNumber, passes: page.passes, totalCount: page.totalCount };
    }
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
