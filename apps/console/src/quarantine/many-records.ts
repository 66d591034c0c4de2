import { apiGet, apiPost } from '../api/client.js';
import { addPart, type ManyAction, type ManyPart, type ManyResult, nothingYet } from './many-result.js';
import type { ManyQuery, QuarantinedRecord } from './quarantine-filter.js';

export interface FoundRecords {
  readonly count: number;
  /** False: there are more than were counted. */
  readonly isExact: boolean;
  /** When they were counted, as the API writes it. */
  readonly at: string;
  /** The newest of them: what came later is not meant. */
  readonly upTo: number | null;
  readonly first: readonly QuarantinedRecord[];
}

const firstShown = 10;

/** Counts what a filter finds among the open ones, and reads the newest of them. */
export async function countRecords(query: ManyQuery, signal: AbortSignal): Promise<FoundRecords> {
  const [{ count, isExact, at, upTo }, { items }] = await Promise.all([
    apiGet('/quarantine/count', { query, signal }),
    // Some may have come since they were counted.
    apiGet('/quarantine', { query: { ...query, state: 'open', limit: 5 * firstShown }, signal }),
  ]);
  const first = items.filter(({ id }) => id <= (upTo ?? 0)).slice(0, firstShown);
  return { count, isExact, at, upTo, first };
}

interface ManySettling {
  readonly action: ManyAction;
  readonly query: ManyQuery;
  /** What was counted: no other is dealt with. */
  readonly found: Pick<FoundRecords, 'count' | 'isExact' | 'upTo'>;
  readonly reason: string;
  readonly onProgress: (soFar: ManyResult) => void;
  /** Ends between two requests: what was done stays done. */
  readonly signal: AbortSignal;
}

/** Deals with all that were counted: a request tries some hundreds, and the next one goes on behind it. */
export async function settleMany(settling: ManySettling): Promise<ManyResult> {
  const { action, query, found, reason, onProgress, signal } = settling;
  const path = action === 'resubmit' ? '/quarantine/resubmit' : '/quarantine/discard';
  const upTo = found.upTo === null ? {} : { upTo: found.upTo };
  // A record that was on its way may have got a number before the last one that was counted.
  let place: { readonly cursor?: string; readonly atMost?: number } = found.isExact ? { atMost: found.count } : {};
  let result = nothingYet;
  for (;;) {
    const part: ManyPart = await apiPost(path, { body: { query, reason, ...upTo, ...place } });
    const { remaining, nextCursor: cursor } = part;
    result = addPart(result, part);
    onProgress(result);
    if (remaining === 0 || cursor === null || signal.aborted) return result;
    place = { cursor, atMost: remaining };
  }
}
