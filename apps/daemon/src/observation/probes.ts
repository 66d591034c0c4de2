import type { DeliveryLoop } from '#outbox';
import type { Ingest } from '#events/ingest';
import type { ProbeAnswer, ProbeSource } from '#operations';
import type { Clock, Database, SqlStatement } from '#platform';

import type { DaemonMetrics } from '../metrics/daemon-metrics.js';
import type { DatabasePresence } from './clock-watch.js';

/** A readiness question that takes longer counts as unanswered. */
const readyTimeoutMs = 2_000;
/** Whoever asks so soon after an answer gets the same: a flood of questions costs as little as ten a second, or two. */
const readyFreshMs = 100;
const metricsFreshMs = 500;

const pingStatement: SqlStatement = { name: 'ping', text: 'SELECT 1 AS "one"' };

export interface ProbedParts {
  readonly clock: Clock;
  readonly presence: Pick<DatabasePresence, 'isSteady'>;
  /** The bare one: it answers also while the clock is not trusted. */
  readonly database: Database;
  readonly metrics: DaemonMetrics;
  /** Null in a process that does not deliver. */
  readonly delivery: Pick<DeliveryLoop, 'stalls'> | null;
  /** Null in a process that does not ingest. */
  readonly ingest: Pick<Ingest, 'stalls'> | null;
}

/** An answer for all who ask while it is made, and shortly after; a failure only for the former. */
class SharedAnswer<Answer> {
  private latest: { readonly answer: Promise<Answer>; freshUntil: number } | null = null;

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly freshMs: number,
    private readonly make: () => Promise<Answer>,
  ) {}

  get(): Promise<Answer> {
    if (this.latest !== null && this.clock.monotonic() < this.latest.freshUntil) return this.latest.answer;
    const latest = { answer: this.make(), freshUntil: Infinity };
    this.latest = latest;
    const end = (freshMs: number): void => void (latest.freshUntil = this.clock.monotonic() + freshMs);
    latest.answer.then(
      () => {
        end(this.freshMs);
      },
      () => {
        end(0);
      },
    );
    return latest.answer;
  }
}

/** What the daemon says about itself. */
export class DaemonProbes implements ProbeSource {
  private hasStarted = false;
  private readonly ping: SharedAnswer<boolean>;
  private readonly scrape: SharedAnswer<string>;

  constructor(private readonly parts: ProbedParts) {
    const { clock } = parts;
    this.ping = new SharedAnswer(clock, readyFreshMs, () => this.isDatabaseThere());
    this.scrape = new SharedAnswer(clock, metricsFreshMs, () => parts.metrics.registry.metrics());
  }

  startCompleted(): void {
    this.hasStarted = true;
  }

  live(): ProbeAnswer {
    const { delivery, ingest, clock, presence } = this.parts;
    const isDatabaseSteady = presence.isSteady;
    const ingestStalls = ingest?.stalls({ now: clock.monotonic(), isDatabaseThere: isDatabaseSteady });
    return { problems: [...(delivery?.stalls(isDatabaseSteady) ?? []), ...(ingestStalls ?? [])] };
  }

  async ready(): Promise<ProbeAnswer> {
    if (!this.hasStarted) return { problems: ['the start is not completed'] };
    return { problems: (await this.ping.get()) ? [] : ['Postgres does not answer'] };
  }

  started(): ProbeAnswer {
    return { problems: this.hasStarted ? [] : ['the start is not completed'] };
  }

  async metrics(): Promise<{ readonly contentType: string; readonly text: string }> {
    return { contentType: this.parts.metrics.registry.contentType, text: await this.scrape.get() };
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
