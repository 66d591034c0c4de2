import { Inject, Injectable, Optional } from '@nestjs/common';

import { DeliveryLoop } from '#outbox';
import { Ingest } from '#events/ingest';
import type { ProbeAnswer, ProbeSource } from '#operations';
import { StatsService } from '#operations';
import type { Clock, SqlStatement } from '#platform';

import { Configuration } from '../environment/configuration.module.js';
import { Platform } from '../platform.module.js';
import { Storage } from '../storage/storage.module.js';
import { ClockWatch } from './clock-watch.js';

/** A readiness question that takes longer counts as unanswered. */
const readyTimeoutMs = 2_000;
/** A question so soon after an answer gets the same one: a flood of them costs as little as ten a second, or two. */
const readyFreshMs = 100;
const metricsFreshMs = 500;

const pingStatement: SqlStatement = { name: 'ping', text: 'SELECT 1 AS "one"' };

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

interface ProbedStorage {
  readonly clock: Clock;
  /** The bare database: it answers also while the clock is not trusted. */
  readonly connection: Pick<Storage['connection'], 'database'>;
}

interface ProbedRoles {
  readonly delivery: Pick<DeliveryLoop, 'stalls'> | null;
  readonly ingest: Pick<Ingest, 'stalls'> | null;
  /** What it serves goes on while Postgres is away. */
  readonly isDoorAlone?: boolean;
}

/** What this process runs; null where it does not. */
@Injectable()
export class Running {
  readonly isDoorAlone: boolean;

  constructor(
    @Optional() @Inject(DeliveryLoop) readonly delivery: DeliveryLoop | null = null,
    @Optional() @Inject(Ingest) readonly ingest: Ingest | null = null,
    @Optional() @Inject(StatsService) readonly stats: StatsService | null = null,
    @Optional() @Inject(Configuration) configuration: Pick<Configuration, 'environment'> | null = null,
  ) {
    this.isDoorAlone = configuration?.environment.roles.every((role) => role === 'door') ?? false;
  }
}

/** What the daemon says about itself. */
@Injectable()
export class DaemonProbes implements ProbeSource {
  private hasStarted = false;
  private readonly ping: SharedAnswer<boolean>;
  private readonly scrape: SharedAnswer<string>;

  constructor(
    @Inject(Storage) private readonly storage: ProbedStorage,
    @Inject(Platform) private readonly platform: Pick<Platform, 'metrics'>,
    @Inject(ClockWatch) private readonly watch: { readonly presence: Pick<ClockWatch['presence'], 'isSteady'> },
    @Inject(Running) private readonly running: ProbedRoles,
  ) {
    this.ping = new SharedAnswer(storage.clock, readyFreshMs, () => this.isDatabaseThere());
    this.scrape = new SharedAnswer(storage.clock, metricsFreshMs, () => platform.metrics.registry.metrics());
  }

  startCompleted(): void {
    this.hasStarted = true;
  }

  live(): ProbeAnswer {
    const { delivery, ingest } = this.running;
    const isDatabaseSteady = this.watch.presence.isSteady;
    const ingestStalls = ingest?.stalls({ now: this.storage.clock.monotonic(), isDatabaseThere: isDatabaseSteady });
    return { problems: [...(delivery?.stalls(isDatabaseSteady) ?? []), ...(ingestStalls ?? [])] };
  }

  async ready(): Promise<ProbeAnswer> {
    if (!this.hasStarted) return { problems: ['the start is not completed'] };
    if (this.running.isDoorAlone === true) return { problems: [] };
    return { problems: (await this.ping.get()) ? [] : ['Postgres does not answer'] };
  }

  started(): ProbeAnswer {
    return { problems: this.hasStarted ? [] : ['the start is not completed'] };
  }

  async metrics(): Promise<{ readonly contentType: string; readonly text: string }> {
    return { contentType: this.platform.metrics.registry.contentType, text: await this.scrape.get() };
  }

  private async isDatabaseThere(): Promise<boolean> {
    const { clock, connection } = this.storage;
    const timeout = new AbortController();
    const ping = connection.database.execute(pingStatement).then(
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
