import { LRUCache } from 'lru-cache';

import type { Clock } from '#platform';

/** So many wrong tokens from one address within a minute; after that it waits for the minute to end. */
export const failuresMax = 10;
export const failureWindowMs = 60_000;
/** Addresses remembered at a time; the ones that failed least recently are forgotten. */
const addressesMax = 10_000;

interface Failures {
  readonly since: number;
  readonly count: number;
}

/** Slows down whoever guesses tokens. In memory only: each replica counts by itself. */
export class FailedLogins {
  private readonly byAddress = new LRUCache<string, Failures>({ max: addressesMax });

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Milliseconds that this address has to wait before its next try; 0: none. */
  waitMs(address: string): number {
    const failures = this.current(address);
    return failures.count < failuresMax ? 0 : failures.since + failureWindowMs - this.clock.monotonic();
  }

  failed(address: string): void {
    const { since, count } = this.current(address);
    this.byAddress.set(address, { since, count: count + 1 });
  }

  private current(address: string): Failures {
    const now = this.clock.monotonic();
    const known = this.byAddress.get(address);
    return known === undefined || now - known.since >= failureWindowMs ? { since: now, count: 0 } : known;
  }
}
