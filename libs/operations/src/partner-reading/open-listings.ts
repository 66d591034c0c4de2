import type { ListingSummary, PassListing, PassPage } from '#gateway';
import type { Job } from '#intents';

import { openListingsMax } from './reading-limits.js';

/** A page, and what of it could not be read. */
export interface TurnedPage {
  readonly page: PassPage;
  readonly unreadable: number;
  /** Where the listing goes on. */
  readonly nextPage: number;
}

interface Open {
  readonly listing: PassListing;
  readonly pages: AsyncIterator<PassPage>;
  readonly summary: ListingSummary;
}

/**
 * The listings of jobs, kept open between their turns: a listing recognises pages that repeat themselves by those that
 * it has turned. Where another process has carried the job on meanwhile, or after a restart, it is opened anew.
 */
export class OpenListings {
  private readonly byJob = new Map<string, Open>();

  /**
   * The page at which the job stands; null behind the last one.
   * @param open begins a listing at that page
   * @throws {GatewayError} where it cannot be had; the next call asks for it again
   */
  async turn({ jobId }: Job, at: number | null, open: () => PassListing): Promise<TurnedPage | null> {
    const kept = this.byJob.get(jobId);
    const current = kept?.summary.nextPage === at ? kept : this.begin(open());
    // Whatever comes of it: a listing that failed is not asked again.
    this.byJob.delete(jobId);
    const turned = await current.pages.next();
    if (turned.done === true) return null;
    const { summary } = current.listing;
    this.keep(jobId, { ...current, summary });
    const unreadable = summary.unreadableRows - current.summary.unreadableRows;
    return { page: turned.value, unreadable, nextPage: summary.nextPage };
  }

  private begin(listing: PassListing): Open {
    return { listing, pages: listing.pages()[Symbol.asyncIterator](), summary: listing.summary };
  }

  private keep(jobId: string, open: Open): void {
    const oldest = this.byJob.keys().next();
    if (this.byJob.size >= openListingsMax && oldest.done !== true) this.byJob.delete(oldest.value);
    this.byJob.set(jobId, open);
  }
}
