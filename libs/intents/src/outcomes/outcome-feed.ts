import type { Clock, Database } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import type { PositionBound } from './find-final-position.js';
import { isFinal, lastPosition, takeBound } from './find-final-position.js';
import { loadOutcomeRows } from './load-outcome-rows.js';
import type { Outcome } from './outcome.js';
import { leaseOutcomes, moveOutcomes, releaseOutcomes } from './outcome-checkpoint.js';
import { toOutcomes } from './to-outcomes.js';

/** How long one process reads on before another may take over; longer than any send. */
export const outcomeLeaseMs = 20_000;
/** Positions passed over without an outcome are remembered in memory only, up to so many. */
const unsavedPositionsMax = 50_000;

/**
 * What a step came to. `published`: there is more, go on at once. `caught-up`: published, and nothing is left just now:
 * soon there will be, and reading it in small pieces would cost the database six statements each. `open`: a transaction that may still add an outcome is running, look
 * again in a moment. `idle`: nothing new. `elsewhere`: another process publishes, or nobody shall.
 */
export type OutcomeStep = 'published' | 'caught-up' | 'open' | 'idle' | 'elsewhere';

export interface OutcomeFeedTools {
  readonly database: Database;
  readonly keys: MemberKeys;
  readonly clock: Clock;
  /** Names this process. */
  readonly owner: string;
  /** Resolves once the broker has all of them; bounded in time, well below `outcomeLeaseMs`. */
  readonly send: (outcomes: readonly Outcome[]) => Promise<void>;
}

/** Where the lease holder stands. */
interface Reading {
  /** The stored checkpoint. */
  stored: number;
  /** Looked through up to here; what lies between holds no outcome. */
  seen: number;
  leaseUntil: number;
  /** What was seen was seen there. */
  server: string | null;
  bound: PositionBound | null;
  final: Pick<PositionBound, 'pos' | 'server'> | null;
}

/**
 * Follows the events of all intents from a durable checkpoint and hands on what the outside may know: every outcome at
 * least once, a member's in their order. The events' writers know nothing of it and pay nothing for it.
 */
export class OutcomeFeed {
  private reading: Reading | null = null;

  constructor(private readonly tools: OutcomeFeedTools) {}

  /** @throws {DatabaseError}, or what `send` throws; the same outcomes then come again */
  async step(): Promise<OutcomeStep> {
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
    await releaseOutcomes(this.tools.database, this.tools.owner);
  }

  private async lease(): Promise<Reading | null> {
    const { database, clock, owner } = this.tools;
    const now = clock.now();
    const known = this.reading;
    if (known !== null && known.leaseUntil - now > outcomeLeaseMs / 2) return known;
    const leaseUntil = now + outcomeLeaseMs;
    const stored = await leaseOutcomes(database, { owner, leaseUntil, now });
    if (stored === null) this.reading = null;
    else if (known?.stored === stored) known.leaseUntil = leaseUntil;
    else this.reading = { stored, seen: stored, leaseUntil, server: null, bound: null, final: null };
    return this.reading;
  }

  private async publishNext(reading: Reading): Promise<OutcomeStep> {
    const { database, keys, send } = this.tools;
    const final = await this.finalBeyond(reading);
    if (final === 'open' || final === 'idle') return final;
    const { rows, upto } = await loadOutcomeRows(database, { from: reading.seen, final: final.pos });
    const outcomes = rows.flatMap((row) => toOutcomes(row, keys));
    if (outcomes.length > 0) await send(outcomes);
    reading.seen = upto;
    const isWorthSaving = outcomes.length > 0 || upto - reading.stored >= unsavedPositionsMax;
    if (isWorthSaving) await this.save(reading, final.server);
    if (upto < final.pos) return 'published';
    return isWorthSaving ? 'caught-up' : 'idle';
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
    const { database } = this.tools;
    const last = await lastPosition(database);
    reading.server ??= last.server;
    if (last.server !== reading.server) return this.startOver();
    if (last.pos <= reading.seen) return 'idle';
    return (await takeBound(database)) ?? this.startOver();
  }

  /** A promoted standby may know less than what the old server has shown us: back to what is stored. */
  private startOver(): 'idle' {
    this.reading = null;
    return 'idle';
  }

  private async save(reading: Reading, server: string): Promise<void> {
    const { database, clock, owner } = this.tools;
    const now = clock.now();
    const leaseUntil = now + outcomeLeaseMs;
    const move = { from: reading.stored, to: reading.seen, server };
    if (await moveOutcomes(database, move, { owner, leaseUntil, now })) {
      reading.stored = reading.seen;
      reading.leaseUntil = leaseUntil;
    } else {
      this.reading = null;
    }
  }
}
