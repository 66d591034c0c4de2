import type { QuarantineBulkResult } from '#contracts';
import type { QuarantineFilter, QuarantinePlace } from '#intents';
import { countQuarantined, nextQuarantined } from '#intents';
import type { Clock, Database } from '#platform';
import { DatabaseError } from '#platform';

import { ApiProblem } from '../problems/api-problem.js';

/** One request goes on for so long: clients and proxies give up on slower ones, and a stop waits for it. */
export const settleManyMsMax = 10_000;
/** So many failures are told; the others are only counted. */
export const failuresToldMax = 100;

export interface SettleMany {
  readonly filter: QuarantineFilter;
  readonly after: QuarantinePlace;
  readonly limit: number;
  /** Deals with one record in a transaction of its own. @throws {ApiProblem} where it stays as it is */
  readonly settle: (quarantineId: number) => Promise<void>;
}

export interface SettledMany extends Omit<QuarantineBulkResult, 'nextCursor'> {
  /** The last record that was tried. */
  readonly last: QuarantinePlace;
}

type Attempt = { readonly kind: 'done' | 'skipped' } | { readonly kind: 'failed'; readonly detail: string };

function failureOf(error: unknown): Attempt {
  if (error instanceof ApiProblem) {
    const isTaken = error.options.code.startsWith('already-') || error.options.status === 404;
    return isTaken ? { kind: 'skipped' } : { kind: 'failed', detail: error.message };
  }
  // The database is away: whatever is left must wait, and stays as it is.
  if (error instanceof DatabaseError && error.kind !== 'failed') throw error;
  const name = error instanceof Error ? error.name : 'failed';
  return { kind: 'failed', detail: `Our own code failed on it (${name}). Please report it.` };
}

async function attempt(work: Promise<void>): Promise<Attempt> {
  try {
    await work;
    return { kind: 'done' };
  } catch (error) {
    return failureOf(error);
  }
}

/**
 * Deals with many records set aside, one after the other in the order in which they came, so that each member's stay in
 * order. However it ends, each is done or untouched.
 */
export async function settleMany(
  { database, clock }: { readonly database: Database; readonly clock: Pick<Clock, 'monotonic'> },
  { filter, after, limit, settle }: SettleMany,
): Promise<SettledMany> {
  const places = (await nextQuarantined(database, { filter, after })).slice(0, limit);
  const until = clock.monotonic() + settleManyMsMax;
  const counts = { done: 0, failed: 0, skipped: 0 };
  const failures: { id: number; detail: string }[] = [];
  let last = after;
  for (const place of places) {
    if (clock.monotonic() >= until) break;
    const tried = await attempt(settle(place.quarantineId));
    counts[tried.kind] += 1;
    if (tried.kind === 'failed' && failures.length < failuresToldMax) {
      failures.push({ id: place.quarantineId, detail: tried.detail });
    }
    last = place;
  }
  return { ...counts, remaining: await countQuarantined(database, { filter, after: last }), failures, last };
}
