import type { Clock, Database } from '#platform';

import type { PositionBound } from '../events/final-position.js';
import { isFinal, lastPosition, takeBound } from '../events/final-position.js';
import type { FeedName } from './feed-checkpoint.js';
import { leaseFeed, moveFeed, releaseFeed } from './feed-checkpoint.js';

/** How long one process reads on before another may take over; longer than any send. */
export const feedLeaseMs = 20_000;
/** Positions passed over with nothing to publish are remembered in memory only, up to so many. */
const unsavedPositionsMax = 50_000;

/**
 * What a step came to. `published`: there is more, go on at once. `open`: a transaction that may still add something is
 * running, look again in a moment. `idle`: nothing is left just now; soon there may be, and reading it in small pieces would
 * cost the database six statements each. `elsewhere`: another process publishes, or none shall.
 */
export type FeedStep = 'published' | 'open' | 'idle' | 'elsewhere';

/** What was found, in the order of the positions. */
export interface FeedWindow<Item> {
  readonly items: readonly Item[];
  /** Everything up to here has been looked through. */
  readonly upto: number;
}

/** What a feed publishes, and where it comes from. */
export interface FeedSource<Item> extends FeedName {
  /** What comes after `from`, at most up to `final`, a position below which nothing can appear any more. */
  load(database: Database, range: { readonly from: number; readonly final: number }): Promise<FeedWindow<Item>>;
}

interface TopicFeedTools<Item> {
  readonly database: Database;
  readonly source: FeedSource<Item>;
  readonly clock: Clock;
  /** Names this process. */
  readonly owner: string;
  /** Resolves once the broker has all of them; bounded in time, well below `feedLeaseMs`. */
  readonly send: (items: readonly Item[]) => Promise<void>;
}

/** Where the lease holder stands. */
interface Reading {
  /** The stored checkpoint. */
  stored: number;
  /** Looked through up to here; what lies between is not to be published. */
  seen: number;
  leaseUntil: number;
  /** What was seen was seen there. */
  server: string | null;
  bound: PositionBound | null;
  final: Pick<PositionBound, 'pos' | 'server'> | null;
}

/**
 * Follows a table from a durable checkpoint and publishes what the outside may know of it: everything at least once, in
 * the order of the positions. The writers know nothing of it and pay nothing for it.
 */
export class TopicFeed<Item> {
  private reading: Reading | null = null;

  constructor(private readonly tools: TopicFeedTools<Item>) {}

  /** @throws {DatabaseError}, or what `send` throws; the same then comes again */
  async step(): Promise<FeedStep> {
    const reading = await this.lease();
    if (reading === null) return 'elsewhere';
    try {
      return await this.publishNext(reading);
    } catch (error) {
      // What a broken connection leaves in doubt is read again.
      this.reading = null;
      throw error;
    }
  }

  /** Gives the reading back. */
  async release(): Promise<void> {
    if (this.reading === null) return;
    this.reading = null;
    const { database, source, owner } = this.tools;
    await releaseFeed(database, source.name, owner);
  }

  private async lease(): Promise<Reading | null> {
    const { database, source, clock, owner } = this.tools;
    const now = clock.now();
    const known = this.reading;
    if (known !== null && known.leaseUntil - now > feedLeaseMs / 2) return known;
    const leaseUntil = now + feedLeaseMs;
    const stored = await leaseFeed(database, source.name, { owner, leaseUntil, now });
    if (stored === null) this.reading = null;
    else if (known?.stored === stored) known.leaseUntil = leaseUntil;
    else this.reading = { stored, seen: stored, leaseUntil, server: null, bound: null, final: null };
    return this.reading;
  }

  private async publishNext(reading: Reading): Promise<FeedStep> {
    const { database, source, send } = this.tools;
    const final = await this.finalBeyond(reading);
    if (final === 'open' || final === 'idle') return final;
    const { items, upto } = await source.load(database, { from: reading.seen, final: final.pos });
    if (items.length > 0) await send(items);
    reading.seen = upto;
    const isWorthSaving = items.length > 0 || upto - reading.stored >= unsavedPositionsMax;
    if (isWorthSaving) await this.save(reading, final.server);
    return upto < final.pos ? 'published' : 'idle';
  }

  /** A final position beyond what was seen. */
  private async finalBeyond(reading: Reading): Promise<NonNullable<Reading['final']> | 'open' | 'idle'> {
    const { database } = this.tools;
    if (reading.final !== null && reading.final.pos > reading.seen) return reading.final;
    const bound = reading.bound ?? (await this.nextBound(reading));
    if (bound === 'idle') return 'idle';
    const answer = await isFinal(database, bound);
    if (answer === 'void') return this.startOver();
    reading.bound = answer === 'open' ? bound : null;
    if (answer === 'open') return 'open';
    reading.final = bound;
    return bound;
  }

  private async nextBound(reading: Reading): Promise<PositionBound | 'idle'> {
    const { database, source } = this.tools;
    const last = await lastPosition(database, source.sequence);
    reading.server ??= last.server;
    if (last.server !== reading.server) return this.startOver();
    if (last.pos <= reading.seen) return 'idle';
    return (await takeBound(database, source.sequence)) ?? this.startOver();
  }

  /** A promoted standby may know less than what the old server has shown us: back to what is stored. */
  private startOver(): 'idle' {
    this.reading = null;
    return 'idle';
  }

  private async save(reading: Reading, server: string): Promise<void> {
    const { database, source, clock, owner } = this.tools;
    const leaseUntil = clock.now() + feedLeaseMs;
    const move = { from: reading.stored, to: reading.seen, server, owner, leaseUntil };
    if (await moveFeed(database, source.name, move)) {
      reading.stored = reading.seen;
      reading.leaseUntil = leaseUntil;
    } else {
      this.reading = null;
    }
  }
}
