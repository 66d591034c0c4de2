import type { QueryType, WalletPass } from '#contracts';
import type { ProgramReference } from '#intents/core';
import type { CallEvidence, CallFailure, CallOptions } from './call.js';
import type { PassSelection } from './pass-operations.js';

/** Filters of the listing (4.5). Times are epoch milliseconds. */
export interface PassFilter extends Omit<PassSelection, 'personId' | 'statusCode'> {
  /** A status name as `ACTIVE`, or its number; compared as `compare` says, for equality without it. */
  readonly status?: { readonly code: string | number; readonly compare?: QueryType };
  readonly lastUpdated?: { readonly atMs: number; readonly compare?: QueryType };
  readonly lastUpdatedFromMs?: number;
  readonly lastUpdatedToMs?: number;
}

/** Passes of a program, all or those that fit the filters. */
export interface PassQuery extends ProgramReference, PassFilter {}

export interface ListOptions extends CallOptions {
  /** Asked for, at most `walletPageSizeMax`; default `listPageSizeDefault`. The partner may answer with fewer. */
  readonly pageSize?: number;
  /** Where to begin, as numbered by the partner; default the dialect's `list.firstPage`. */
  readonly startPage?: number;
  /**
   * Rows that were seen on the pages before `startPage`; default as many as full pages hold, which is too many where the
   * partner's pages are smaller than asked for.
   */
  readonly rowsBefore?: number;
  /** Default and largest: `listPagesMax`. */
  readonly pagesMax?: number;
}

export interface PassPage {
  readonly pageNumber: number;
  /** The readable rows of the page, in the partner's order; mistyped documented fields are left out. */
  readonly passes: readonly WalletPass[];
  /** As answered with this page; `null` when it was not readable. */
  readonly totalCount: number | null;
}

/** What a listing has come to. Final when iteration has ended, by itself or not. */
export interface ListingSummary {
  /**
   * `complete`: the last page was reached. `open`: iteration has not begun, goes on, or was left. `failed`: a
   * `GatewayError` was thrown.
   */
  readonly end: 'open' | 'complete' | 'failed';
  readonly pages: number;
  /** All rows that were seen, unreadable ones included. */
  readonly rows: number;
  /** Rows that were no objects and could not be handed on. */
  readonly unreadableRows: number;
  /** The partner's last count of all rows that fit; `null` as long as none was readable. */
  readonly totalCount: number | null;
  /**
   * Whether a complete listing brought as many rows as the partner counts. `false`: passes came and went meanwhile, or
   * the count or the pages are wrong; nothing may be concluded from a pass that was not listed. `null` before the end.
   */
  readonly agrees: boolean | null;
  /** Where to go on after `failed` or `open`. */
  readonly nextPage: number;
  /** Paths of documented fields that were missing or mistyped, each once: `data.serialNumber`. */
  readonly shapeAlarms: readonly string[];
}

/**
 * A listing under way. Iterating yields the passes, or with `pages()` page by page, and asks for the next page when it
 * is needed: no more than one page is ever held. It can be iterated once.
 *
 * Iteration throws a `GatewayError` when a page cannot be had (its stage and code as in a report; nothing is asked
 * twice, go on from `summary.nextPage`), with the stage `answer` and the code `not-a-page` for an answer without
 * `data`, `page-repeated` for a page that came before (the partner does not understand the page number, see the
 * dialect's `list.names.pageNumber`), and `too-many-pages` at `pagesMax`.
 */
export interface PassListing extends AsyncIterable<WalletPass> {
  pages(): AsyncIterable<PassPage>;
  readonly summary: ListingSummary;
}

/**
 * How many passes fit. `failed`: see `CallFailure`; also `no-count` (no readable totalCount) and `count-disagrees` (a
 * count below the number of rows beside it).
 */
export type CountReport =
  | {
      readonly kind: 'counted';
      readonly totalCount: number;
      readonly shapeAlarms: readonly string[];
      readonly evidence: CallEvidence;
    }
  | (CallFailure & { readonly kind: 'failed'; readonly evidence: CallEvidence });

/** 4.5 List wallet passes: for reconciliation and export. */
export interface PassListings {
  listPasses(query: PassQuery, options: ListOptions): PassListing;
  /** The count only. With `uniqueId` and 0 it is one half of the proof that a member has no pass (design.md section 6). */
  countPasses(query: PassQuery, options: CallOptions): Promise<CountReport>;
}
