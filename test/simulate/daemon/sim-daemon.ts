import type { ProgramsFile } from '#contracts';
import { eventPlanner, SourceTables } from '#events';
import { declaredPattern } from '#events/core';
import { openNamed } from '#events/formats';
import type { OpenFormat } from '#events';
import type { EventPlanner } from '#intents/core';
import type { DeliveryPorts, DeliverySettings } from '#outbox';
import { DeliveryLoop } from '#outbox';
import type { Gateway, HttpTransport } from '#gateway';
import { createGateway, DialectRegistry } from '#gateway';
import type { DeadLetterSink, Ingest, OutcomeSink } from '#events/ingest';
import type { BatchLease, FetchedBatch, Source } from '#kafka';
import { createIngest, createOutcomes, noIngestMetrics } from '#events/ingest';
import type { HandOver, IngestKeys } from '#intents';
import type { BackgroundLoop, CancelTimer, Clock, ClockAnchor, Database, Logger, Random, Wake } from '#platform';

import type { Chance } from '#shop';
import type { ProcessClock, SimProcess } from '../kernel/sim-process.js';
import { topics } from '../world/traffic.js';

/** Everything that a daemon of a world touches outside of itself. */
export interface DaemonPorts {
  readonly clock: ProcessClock;
  readonly random: Random;
  readonly database: Database;
  readonly keys: IngestKeys;
  readonly wake: Wake;
  readonly source: Source;
  readonly transport: HttpTransport;
  readonly deadLetterSink: DeadLetterSink;
  /** All but the partner, which is behind the gateway. */
  readonly delivery: Omit<DeliveryPorts, 'partner'>;
  /** Measures by the bare database, which does not wait for our trust in the clock. */
  readonly anchor: ClockAnchor;
}

export interface LoadedPrograms {
  readonly file: ProgramsFile;
  readonly hash: Uint8Array;
}

const groupId = 'loyaltyd';

const openFormat: OpenFormat = ({ format }) => openNamed(format, null, {});
/** Of all daemons: each opens a file alike. */
const sourceTables = new SourceTables({ topics, written: ['loyalty.dead-letter'], openFormat });

function nobodyConnects(): never {
  throw new Error('nothing here connects to Kafka');
}

function openGateway({ clock, transport }: DaemonPorts, file: ProgramsFile): Gateway {
  const programs = Object.entries(file.programs).map(([program, { brandId, programId, dialect }]) => {
    return { program, brandId, programId, overrides: dialect };
  });
  return createGateway({
    baseUrl: 'https://wallet.example/brands',
    authUrl: 'https://wallet.example',
    scope: null,
    readCredentials: () => ({ clientId: 'sim', clientSecret: 'sim-secret' }),
    dialects: new DialectRegistry({ file: null, programs }),
    clock,
    transport,
  });
}

function openIngest(
  { clock, random, database, keys, wake, source, deadLetterSink }: DaemonPorts,
  options: { readonly programs: () => LoadedPrograms; readonly logger: Logger; readonly handOver: HandOver },
): Ingest {
  const ingest = createIngest(
    {
      kafka: {
        connection: nobodyConnects,
        groupId,
        startFrom: { kind: 'earliest' },
        topics,
        deadLetterTopic: 'loyalty.dead-letter',
        deadLetterValue: 'original',
        decompressedBytesMax: 64 * 1024 * 1024,
      },
      programs: options.programs,
      sources: sourceTables,
      database,
      keys,
      clock,
      random,
      wake,
      logger: options.logger,
      handOver: options.handOver,
      metrics: noIngestMetrics,
    },
    { source, deadLetterSink },
  );
  // Instead of Nest's controller: the same patterns lead to the same batcher.
  for (const pattern of [...Object.keys(topics).map((name) => `source.${name}`), declaredPattern]) {
    const consume = ({ batch, lease }: { batch: FetchedBatch; lease: BatchLease }): Promise<void> =>
      ingest.batcher.consume(batch, lease);
    ingest.server.addHandler(pattern, consume as never, true);
  }
  return ingest;
}

function openOutcomes(
  {
    clock,
    random,
    database,
    keys,
    wake,
  }: Pick<DaemonPorts, 'random' | 'database' | 'keys' | 'wake'> & {
    readonly clock: Clock;
  },
  { sink, logger }: { readonly sink: OutcomeSink; readonly logger: Logger },
): BackgroundLoop {
  return createOutcomes(
    {
      driver: { producer: nobodyConnects },
      connection: nobodyConnects,
      topic: 'loyalty.outcomes',
      database,
      keys: keys.members,
      clock,
      random,
      logger,
      wake,
      onPublished: () => undefined,
    },
    sink,
  );
}

/** The same time, but everything that is waited for takes longer. */
class SlowedClock implements Clock {
  constructor(
    private readonly clock: Clock,
    private readonly factor: number,
  ) {}

  now(): number {
    return this.clock.now();
  }

  monotonic(): number {
    return this.clock.monotonic();
  }

  after(delayMs: number, task: () => void): CancelTimer {
    return this.clock.after(delayMs * this.factor, task);
  }

  soon(task: () => void): void {
    this.clock.soon(task);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return this.clock.sleep(delayMs * this.factor, signal);
  }
}

/** A programs file as a daemon has read it. */
interface DaemonOptions {
  readonly programs: LoadedPrograms;
  readonly settings: DeliverySettings;
  /** Null: this world publishes no outcomes. */
  readonly outcomeSink: OutcomeSink | null;
  readonly logger: Logger;
}

const startMsMax = 600;
const startRetryMs = 500;
/** An outcome may be told some seconds later: looking for it every 100 ms costs a world more than all the rest. */
const outcomesSlowness = 20;

type Stage = 'starting' | 'running' | 'draining' | 'gone';

/** One daemon process: everything that the real one runs, wired alike, on the ports of a world. */
export class SimDaemon {
  stage: Stage = 'starting';
  readonly clock: ProcessClock;
  private programs: LoadedPrograms;
  private delivery: DeliveryLoop | null = null;
  private ingest: Ingest | null = null;
  private gateway: Gateway | null = null;
  private outcomes: BackgroundLoop | null = null;

  constructor(
    readonly process: SimProcess,
    private readonly ports: DaemonPorts,
    private readonly options: DaemonOptions,
  ) {
    this.clock = ports.clock;
    this.programs = options.programs;
  }

  get name(): string {
    return this.process.name;
  }

  start(chance: Chance): void {
    this.process.after(chance.unit() * startMsMax, 'starts', () => void this.begin());
  }

  /** Memory is gone; what has left the process goes on by itself. */
  kill(): void {
    this.process.kill();
    this.stage = 'gone';
  }

  /** SIGHUP: reads the programs file as it is when the signal is handled, which a stopped process does late. */
  reload(read: () => LoadedPrograms): void {
    this.process.after(0, 'reloads', () => {
      this.programs = read();
      this.delivery?.setPrograms(this.programs.file.programs);
    });
  }

  /** SIGTERM: finishes what is open and goes. */
  drain(): void {
    if (this.stage === 'starting') this.kill();
    if (this.stage !== 'running') return;
    this.stage = 'draining';
    this.process.after(0, 'drains', () => void this.leave());
  }

  /** Waits for the database, as a starting daemon does. */
  private async begin(): Promise<void> {
    for (;;) {
      try {
        await this.ports.anchor.start();
        break;
      } catch {
        await this.clock.sleep(startRetryMs);
      }
    }
    this.run();
  }

  private run(): void {
    const { ports, options } = this;
    this.gateway = openGateway(ports, this.programs.file);
    const planner = (): EventPlanner =>
      eventPlanner(this.programs.file, Buffer.from(this.programs.hash).toString('hex'));
    const outside = { ...ports.delivery, partner: this.gateway.partner, planner };
    const delivery = new DeliveryLoop(outside, options.settings);
    this.delivery = delivery;
    this.ingest = openIngest(ports, { programs: () => this.programs, logger: options.logger, handOver: delivery });
    this.delivery.start(this.programs.file.programs);
    this.ingest.server.listen(() => undefined);
    this.ingest.deadLetters?.start();
    this.ingest.erasures.start();
    if (options.outcomeSink !== null) {
      const clock = new SlowedClock(this.clock, outcomesSlowness);
      this.outcomes = openOutcomes({ ...ports, clock }, { sink: options.outcomeSink, logger: options.logger });
      this.outcomes.start();
    }
    this.stage = 'running';
  }

  /** In the order of the real daemon's stop. */
  private async leave(): Promise<void> {
    await this.delivery?.drain();
    await this.outcomes?.stop();
    await this.ingest?.server.close();
    await this.ingest?.deadLetters?.stop();
    await this.ingest?.erasures.stop();
    this.ports.anchor.stop();
    await this.gateway?.close();
    this.kill();
  }
}
