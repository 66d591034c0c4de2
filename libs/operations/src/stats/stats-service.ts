import { Injectable } from '@nestjs/common';

import type { IntentCount } from '#intents';
import { asNoReader, Clock } from '#platform';

import type { Overview } from './overview.js';
import { OverviewRepository } from './overview.js';

/** An overview is served to everybody for so long. */
export const overviewFreshMs = 1_000;
/** Reading takes at most one part in so many of the time, however much there is to count. */
export const overviewDutyFactor = 10;
/** Callers wait for a new overview at most so long, then get the last one. */
export const overviewWaitMs = 1_000;
/** An overview older than this is not shown. */
export const overviewAgeMsMax = 60_000;

/** What the process itself knows, beyond the database. */
export interface OwnProcess {
  readonly processId: string;
}

export interface Stats {
  readonly overview: Overview;
  readonly rates: readonly ProgramRate[];
  readonly self: OwnProcess;
}

interface CachedStats {
  readonly stats: Stats;
  /** Monotonic ms. */
  readonly at: number;
  readonly costMs: number;
}

/** Reads the overview, at most once a second for all callers. */
@Injectable()
export class StatsService {
  private self: OwnProcess = { processId: '' };
  private readonly window = new RateWindow();
  private cached: CachedStats | null = null;
  private reading: Promise<Stats> | null = null;

  constructor(
    private readonly overviews: OverviewRepository,
    private readonly clock: Clock,
  ) {}

  /** Which process answers. */
  watch(self: OwnProcess): void {
    this.self = self;
  }

  /** @throws {DatabaseError} */
  async current(): Promise<Stats> {
    const { cached } = this;
    const age = cached === null ? Infinity : this.clock.monotonic() - cached.at;
    if (cached !== null && age < Math.max(overviewFreshMs, overviewDutyFactor * cached.costMs)) return cached.stats;
    // For all who ask, metrics among them: it must not wait for readers, and takes one connection whoever asks how often.
    this.reading ??= asNoReader(() => this.read());
    return cached === null || age > overviewAgeMsMax ? this.reading : this.soon(this.reading, cached.stats);
  }

  /** The new one where it comes soon, else the last. */
  private async soon(reading: Promise<Stats>, last: Stats): Promise<Stats> {
    const waiting = new AbortController();
    const late = this.clock.sleep(overviewWaitMs, waiting.signal).then(
      () => last,
      () => last,
    );
    try {
      return await Promise.race([reading, late]);
    } finally {
      waiting.abort();
      // It may fail when no caller waits for it any more.
      reading.catch(() => undefined);
    }
  }

  private async read(): Promise<Stats> {
    const { clock } = this;
    try {
      const begunAt = clock.monotonic();
      const overview = await this.overviews.read(clock.now());
      const at = clock.monotonic();
      this.window.add(at, overview.intents);
      const stats = { overview, rates: this.window.rates(), self: this.self };
      this.cached = { stats, at, costMs: at - begunAt };
      return stats;
    } finally {
      this.reading = null;
    }
  }
}

/** The window of a rate, and the shortest span that one is computed from. */
export const rateWindowMs = 30_000;
export const rateSpanMsMin = 1_000;
/** Samples kept; there is one a second at most. */
const samplesMax = 64;

/** What a program has recorded and settled in all. */
interface Totals {
  recorded: number;
  settled: number;
}

interface RateSample {
  readonly at: number;
  readonly totals: ReadonlyMap<string, Totals>;
}

/** How fast a program's intents come and go. */
interface ProgramRate {
  readonly program: string;
  readonly recordedPerSecond: number;
  readonly settledPerSecond: number;
}

function totalsOf(counts: readonly IntentCount[]): ReadonlyMap<string, Totals> {
  const totals = new Map<string, Totals>();
  for (const { program, recorded, byStatus } of counts) {
    const total = totals.get(program) ?? { recorded: 0, settled: 0 };
    total.recorded += recorded;
    total.settled += byStatus.delivered + byStatus.cancelled;
    totals.set(program, total);
  }
  return totals;
}

/** Computes rates from what was counted at different times. */
export class RateWindow {
  private samples: RateSample[] = [];

  /** @param at monotonic ms */
  add(at: number, counts: readonly IntentCount[]): void {
    const kept = this.samples.filter((look) => at - look.at <= rateWindowMs).slice(1 - samplesMax);
    this.samples = [...kept, { at, totals: totalsOf(counts) }];
  }

  /** Over the window, or as much of it as was looked at; empty while that says nothing. Never below 0: a rebuild counts anew. */
  rates(): ProgramRate[] {
    const [first] = this.samples;
    const last = this.samples.at(-1);
    if (first === undefined || last === undefined || last.at - first.at < rateSpanMsMin) return [];
    const seconds = (last.at - first.at) / 1_000;
    const perSecond = (now: number, before: number): number => Math.max(0, now - before) / seconds;
    return [...last.totals].map(([program, { recorded, settled }]) => {
      const before = first.totals.get(program) ?? { recorded: 0, settled: 0 };
      return {
        program,
        recordedPerSecond: perSecond(recorded, before.recorded),
        settledPerSecond: perSecond(settled, before.settled),
      };
    });
  }
}
