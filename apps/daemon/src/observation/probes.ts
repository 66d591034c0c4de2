import type { DeliveryLoop } from '#delivery';
import type { Ingest } from '#ingest';
import type { ProbeAnswer, ProbeSource } from '#operations';
import type { Clock, Database, SqlStatement } from '#platform';

import type { DaemonMetrics } from '../metrics/daemon-metrics.js';
import { mergedMetrics } from '../metrics/merged-metrics.js';
import type { WorkerPool } from '../workers/worker-pool.js';
import type { DatabasePresence } from './clock-watch.js';

/** A readiness question that takes longer counts as unanswered. */
const readyTimeoutMs = 2_000;

const pingStatement: SqlStatement = { name: 'ping', text: 'SELECT 1 AS "one"' };

export interface ProbedParts {
  readonly clock: Clock;
  readonly presence: Pick<DatabasePresence, 'isSteady'>;
  /** The bare one: it answers also while the clock is not trusted. */
  readonly database: Database;
  readonly metrics: DaemonMetrics;
  /** Null in a thread that does not deliver. */
  readonly delivery: Pick<DeliveryLoop, 'stalls'> | null;
  /** Null in a thread that does not ingest. */
  readonly ingest: Pick<Ingest, 'stalls'> | null;
  /** Null where this thread does everything itself, and in a worker. */
  readonly workers: Pick<WorkerPool, 'problems' | 'scrape'> | null;
}

/** What the daemon says about itself. */
export class DaemonProbes implements ProbeSource {
  private hasStarted = false;
  /** Under way: whoever asks meanwhile gets the same answer, and costs the database nothing. */
  private ping: Promise<boolean> | null = null;
  private scrape: Promise<string> | null = null;

  constructor(private readonly parts: ProbedParts) {}

  startCompleted(): void {
    this.hasStarted = true;
  }

  live(): ProbeAnswer {
    const { delivery, ingest, workers, clock, presence } = this.parts;
    const isDatabaseSteady = presence.isSteady;
    const ingestStalls = ingest?.stalls({ now: clock.monotonic(), isDatabaseThere: isDatabaseSteady });
    const own = [...(delivery?.stalls(isDatabaseSteady) ?? []), ...(ingestStalls ?? [])];
    return { problems: [...own, ...(workers?.problems ?? [])] };
  }

  async ready(): Promise<ProbeAnswer> {
    if (!this.hasStarted) return { problems: ['the start is not completed'] };
    return { problems: (await this.isReached()) ? [] : ['Postgres does not answer'] };
  }

  started(): ProbeAnswer {
    return { problems: this.hasStarted ? [] : ['the start is not completed'] };
  }

  async metrics(): Promise<{ readonly contentType: string; readonly text: string }> {
    this.scrape ??= this.scrapeAll().finally(() => (this.scrape = null));
    return { contentType: this.parts.metrics.registry.contentType, text: await this.scrape };
  }

  private async scrapeAll(): Promise<string> {
    const { workers, metrics } = this.parts;
    const { registry } = metrics;
    if (workers === null) return registry.metrics();
    const [own, others] = await Promise.all([registry.getMetricsAsJSON(), workers.scrape()]);
    return mergedMetrics([own, ...others]);
  }

  private isReached(): Promise<boolean> {
    this.ping ??= this.isDatabaseThere().finally(() => (this.ping = null));
    return this.ping;
  }

  private async isDatabaseThere(): Promise<boolean> {
    const { clock, database } = this.parts;
    const timeout = new AbortController();
    const ping = database.execute(pingStatement).then(
      () => true,
      () => false,
    );
    const tooLate = clock.sleep(readyTimeoutMs, timeout.signal).then(
      () => false,
      () => false,
    );
    const isThere = await Promise.race([ping, tooLate]);
    timeout.abort();
    return isThere;
  }
}
