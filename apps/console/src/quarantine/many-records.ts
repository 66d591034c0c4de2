import { apiGet, apiPost, type Deed } from '../api/client.js';
import { addPart, type ManyDeed, type ManyPart, type ManyResult, nothingYet } from './many-result.js';
import type { ManyQuery, QuarantinedRecord } from './quarantine-filter.js';

const pageRecords = 500;
/** Enough to know what one does; counted on, it would only take longer. */
const lookedAtMax = 5_000;
/** A page may end early: so many are asked for at most. */
const pagesMax = 40;

export interface FoundRecords {
  readonly count: number;
  /** False: there are more than were counted. */
  readonly isExact: boolean;
  readonly first: readonly QuarantinedRecord[];
}

/** Counts what a filter finds among the open ones, page by page: the daemon has no number of it. */
export async function countRecords(query: ManyQuery, signal: AbortSignal): Promise<FoundRecords> {
  let first: readonly QuarantinedRecord[] = [];
  let count = 0;
  let cursor: string | undefined;
  for (let pages = 0; pages < pagesMax && count < lookedAtMax; pages += 1) {
    const page = await apiGet('/quarantine', {
      query: { ...query, state: 'open', limit: pageRecords, ...(cursor === undefined ? {} : { cursor }) },
      signal,
    });
    first = first.length === 0 ? page.items : first;
    count += page.items.length;
    if (page.nextCursor === null) return { count, isExact: true, first };
    cursor = page.nextCursor;
  }
  return { count, isExact: false, first };
}

interface ManySettling {
  readonly deed: ManyDeed;
  readonly query: ManyQuery;
  readonly reason: string;
  readonly onProgress: (soFar: ManyResult) => void;
  /** Ends between two requests: what was done stays done. */
  readonly signal: AbortSignal;
}

/** Deals with all that a filter finds: a request tries some hundreds, and the next one goes on behind it. */
export async function settleMany({ deed, query, reason, onProgress, signal }: ManySettling): Promise<Deed<ManyResult>> {
  let result = nothingYet;
  let cursor: string | null = null;
  do {
    const place: { readonly cursor?: string } = cursor === null ? {} : { cursor };
    const body = { query, reason, ...place };
    const path = deed === 'resubmit' ? '/quarantine/resubmit' : '/quarantine/discard';
    const outcome: Deed<ManyPart> = await apiPost(path, { body });
    if (outcome.state !== 'done') return outcome;
    result = addPart(result, outcome.answer);
    cursor = outcome.answer.remaining > 0 ? outcome.answer.nextCursor : null;
    onProgress(result);
  } while (cursor !== null && !signal.aborted);
  return { state: 'done', answer: result };
}
