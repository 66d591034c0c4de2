import {
  type BeforeApplicationShutdown,
  ConfigurableModuleBuilder,
  Controller,
  type DynamicModule,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { type OpenFormat, SourceTables } from '#events';
import { declaredPattern, sourcePatterns, type Subject } from '#events/core';
import { EventPattern, Payload } from '@nestjs/microservices';
import {
  ChunkRepository,
  type HandOver,
  finishErasures,
  finishErasuresMax,
  forgetDigests,
  forgetUnowned,
  type IngestKeys,
  recordFingerprint,
} from '#intents';
import {
  BatchConsumer,
  type BatchDelivery,
  type ConsumerSettings,
  type FetchedRecord,
  type FurtherTopics,
  installationName,
  KafkaBatchServer,
  kafkaBatchTransport,
  type KafkaConnection,
  KafkaDriver,
  KafkaModule,
  type PositionKeeper,
  type ShardClaim,
  type Source,
  type UnreadPartition,
} from '#kafka';
import { MembersModule } from '#members/module';
import { BackgroundLoop, type Clock, type Database, type Logger, type Random, type Tracer, type Wake } from '#platform';
import { PurchasesModule } from '#purchases/module';
import { RewardsModule } from '#rewards/module';

import type { IngestMetrics } from './ingest-metrics.js';
import { PartitionBatcher } from './loop/partition-batcher.js';
import type { RoutingPrograms } from './loop/prepare-record.js';
import type { StartFrom } from './positions/decide-placement.js';
import { type PartitionPosition, Positions, type WaitingPartition } from './positions/positions.js';
import {
  deadLetterPublisher,
  type DeadLetterSink,
  type DeadLetterValue,
  KafkaDeadLetterSink,
} from './publishing/dead-letters.js';

/** Kafka as ingest uses it (contracts.md section 3). */
export interface IngestKafkaSettings {
  /** Asked at each connection, so that renewed secrets are used. */
  readonly connection: () => KafkaConnection;
  readonly groupId: string;
  readonly startFrom: StartFrom;
  readonly topics: Readonly<Record<Subject, string>>;
  /** `null`: no dead letters are published; the quarantine table keeps the records all the same. */
  readonly deadLetterTopic: string | null;
  readonly deadLetterValue: DeadLetterValue;
  /** What one record batch may grow to when it is decompressed; a larger one is set aside. */
  readonly decompressedBytesMax: number;
  /** Absent or null: all partitions are this database's. */
  readonly shard?: ShardClaim | null;
}

/** Everything ingest needs from its process. */
export interface IngestSettings {
  readonly kafka: IngestKafkaSettings;
  /** Called once per chunk: a reloaded programs file takes effect with the next one. */
  readonly programs: () => RoutingPrograms;
  /** What comes by which topic. Absent: as the programs file says, of formats that need nothing else. */
  readonly sources?: SourceTables;
  readonly database: Database;
  readonly keys: IngestKeys;
  readonly clock: Clock;
  readonly random: Random;
  /** Notified after each commit that brought intents. */
  readonly wake: Wake;
  /** Sends what is recorded, in the same process; absent: it waits until it is claimed. */
  readonly handOver?: HandOver | null;
  readonly logger: Logger;
  readonly metrics: IngestMetrics;
  /** Absent: nothing is traced. */
  readonly tracer?: Tracer;
}

export interface StallQuestion {
  /** Monotonic. */
  readonly now: number;
  /** Whether the database answers others. */
  readonly isDatabaseThere: boolean;
}

/** The parts of ingest, wired but not started. */
export abstract class Ingest {
  abstract readonly batcher: PartitionBatcher;
  abstract readonly server: KafkaBatchServer;
  /** `null` when dead letters are switched off. */
  abstract readonly deadLetters: BackgroundLoop | null;
  abstract readonly erasures: BackgroundLoop;
  /** When the source last made progress, on the monotonic clock. */
  abstract readonly lastProgressAt: () => number;
  /** For liveness: the parts that make no progress although they could. */
  abstract readonly stalls: (question: StallQuestion) => string[];
  /** The next offset of each of our partitions that is placed, or held at a gap. */
  abstract readonly partitionPositions: () => readonly PartitionPosition[];
  /** Those of our partitions whose next record cannot be read yet, as while a schema registry is away. */
  abstract readonly waitingPartitions: () => readonly WaitingPartition[];
}

/** The source fetches, beats or builds a new consumer far more often, whether its broker is there or not. */
export const sourceSilentMsMax = 300_000;
/** A chunk ends or fails within its statements' timeouts; a look for a place within its requests'. */
export const unmovedMsMax = 180_000;
/** A recording is neither committed nor refused by a database that answers others: its statements end far sooner. */
export const unansweredMsMax = 300_000;

/**
 * The parts of ingest that make no progress although they could: only a new process would help. Neither a broker that
 * is away nor a rebalance, a gap, a database that does not answer or one that refuses to write is a stall: everything
 * goes on by itself afterwards.
 */
export function ingestStalls(
  parts: { readonly source: Source; readonly batcher: PartitionBatcher; readonly positions: Positions },
  { now, isDatabaseThere }: StallQuestion,
): string[] {
  const { unmovedMs, unansweredMs } = parts.batcher.slowest;
  const stalls: [boolean, string][] = [
    [now - parts.source.lastProgressAt() > sourceSilentMsMax, 'ingest: the Kafka consumer gives no sign of life'],
    [unmovedMs > unmovedMsMax, 'ingest: a batch in hand does not move'],
    [isDatabaseThere && unansweredMs > unansweredMsMax, 'ingest: the recording of a batch in hand does not end'],
    [parts.positions.unmovedMs > unmovedMsMax, 'ingest: partitions in hand are not placed'],
  ];
  return stalls.flatMap(([isStall, problem]) => (isStall ? [problem] : []));
}

/** How often erasures are checked that wait for a member's last intents. */
const erasurePollMs = 15_000;

/** Digests of earlier releases that name nobody are forgotten once those take what is forgotten for a contradiction no longer. */
const unownedAfterMs = 10 * 60_000;
const unownedSpacingMs = 100;

/** Finishes erasures that wait until an opt-out is settled with the partner, and forgets the digests of those that are done. */
function erasureFinisher(tools: {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}): BackgroundLoop {
  const { database, clock } = tools;
  const startedAt = clock.monotonic();
  let hasUnowned = true;
  const workOnce = async (): Promise<number> => {
    const finished = await finishErasures(database, clock.now());
    const mayHaveMore = await forgetDigests(database, clock.now());
    if (finished === finishErasuresMax || mayHaveMore) return 0;
    if (!hasUnowned || clock.monotonic() - startedAt < unownedAfterMs) return erasurePollMs;
    hasUnowned = await forgetUnowned(database);
    return hasUnowned ? unownedSpacingMs : erasurePollMs;
  };
  return new BackgroundLoop({
    ...tools,
    workOnce,
    close: async () => undefined,
    failureMessage: 'erasures were not finished',
  });
}

/** Kafka in and out; a simulation gives its own. */
export interface IngestPorts {
  readonly source: Source;
  readonly deadLetterSink: DeadLetterSink | null;
}

/** Which partitions are ours, and what is told of those that are nobody's. */
function consumedShard({ kafka: { shard = null }, metrics, logger }: IngestSettings): Pick<ConsumerSettings, 'shard'> {
  if (shard === null) return {};
  let last = '[]';
  const onShared = (unread: readonly UnreadPartition[]): void => {
    metrics.unreadPartitions(unread);
    const text = JSON.stringify(unread);
    if (text === last) return;
    last = text;
    if (unread.length > 0) {
      logger.error({ partitions: unread.length, first: unread[0] }, 'partitions are read by nobody');
    }
  };
  return { shard: { claim: shard, onShared } };
}

/** The ports on Kafka. */
function createKafkaPorts(settings: IngestSettings, driver: KafkaDriver): IngestPorts {
  const { kafka, keys, clock, random, logger } = settings;
  const further = furtherTopics(settings);
  const { connection, groupId, deadLetterTopic, deadLetterValue, decompressedBytesMax } = kafka;
  const topics = Object.values(kafka.topics);
  const reading = { topics, further, decompressedBytesMax, ...consumedShard(settings) };
  const source = driver.consumer(
    { connection, groupId, installation: installationName(keys.mac), ...reading },
    { clock, random, logger },
  );
  if (deadLetterTopic === null) return { source, deadLetterSink: null };
  const sinkSettings = { driver, connection, topic: deadLetterTopic, value: deadLetterValue, macKey: keys.mac };
  return { source, deadLetterSink: new KafkaDeadLetterSink(sinkSettings, { clock, logger }) };
}

/** A topic of ours has a handler of its own, also where a source reads it. */
function patternsOf(topics: Readonly<Record<Subject, string>>): (topic: string) => string {
  const own = new Map(Object.entries(topics).map(([name, topic]) => [topic, sourcePatterns[name as Subject]]));
  return (topic) => own.get(topic) ?? declaredPattern;
}

/** What the programs file in force declares. */
export function furtherTopics({ programs, logger, ...settings }: TopicSettings): FurtherTopics {
  const sources = sourcesOf(settings);
  const table = (): ReturnType<SourceTables['of']> => sources.of(programs().file);
  // Of the file in force: told once, and again by the next one.
  const contested = { of: table(), topics: new Set<string>() };
  const isRead = (topic: string): boolean => {
    const now = table();
    if (contested.of !== now) Object.assign(contested, { of: now, topics: new Set() });
    if (now.isContested(topic) && !contested.topics.has(topic)) {
      contested.topics.add(topic);
      logger.error({ topic }, 'a topic is read by nobody: patterns of two sources match it, and none names it');
    }
    return now.sourceOf(topic) !== null;
  };
  return { names: () => table().names, matches: () => (table().hasPatterns ? isRead : null) };
}

type TopicSettings = Pick<IngestSettings, 'programs' | 'logger' | 'sources' | 'kafka'>;

const openNone: OpenFormat = ({ format }) => {
  throw new Error(`nothing opens the format ${format} here`);
};

/** The same for all who ask with the same settings. */
function sourcesOf({ sources, kafka }: Pick<IngestSettings, 'sources' | 'kafka'>): SourceTables {
  if (sources !== undefined) return sources;
  const written = kafka.deadLetterTopic === null ? [] : [kafka.deadLetterTopic];
  return new SourceTables({ topics: kafka.topics, written, openFormat: openNone });
}

function positionKeeper(positions: Positions, batcher: PartitionBatcher): PositionKeeper {
  return {
    assigned: (partitions) => {
      positions.assign(partitions);
      batcher.reassigned();
    },
    skipped: (range) => {
      positions.skipped(range);
    },
    closing: () => {
      batcher.stop();
    },
    closed: () => {
      positions.forgetAll();
    },
  };
}

function createRepository({ database, keys, handOver }: IngestSettings): ChunkRepository {
  return new ChunkRepository(database, keys, handOver);
}

/** Wires ingest on the given ports. */
export function createIngest(
  settings: IngestSettings,
  ports: IngestPorts,
  repository: Pick<ChunkRepository, 'record'> = createRepository(settings),
): Ingest {
  const { clock, random, logger, metrics, database, keys } = settings;
  const { source, deadLetterSink: sink } = ports;
  const deadLetters =
    sink === null
      ? null
      : deadLetterPublisher({ database, quarantineKey: keys.quarantine, sink, clock, random, logger });
  const fingerprint = (record: FetchedRecord): Uint8Array => recordFingerprint(record, keys.mac);
  const tools = { source, database, clock, random, logger, metrics, fingerprint };
  const positions = new Positions(tools, settings.kafka.startFrom);
  const hasDeadLetters = deadLetters !== null;
  const onQuarantined = (): void => deadLetters?.wake();
  const sources = sourcesOf(settings);
  const batcher = new PartitionBatcher({ ...settings, sources, repository, positions, hasDeadLetters, onQuarantined });
  const keeper = positionKeeper(positions, batcher);
  const server = new KafkaBatchServer({ source, keeper, patternOf: patternsOf(settings.kafka.topics) });
  const erasures = erasureFinisher({ database, clock, random, logger });
  const stalls = (question: StallQuestion): string[] => ingestStalls({ source, batcher, positions }, question);
  const lastProgressAt = (): number => source.lastProgressAt();
  const partitionPositions = (): readonly PartitionPosition[] => positions.current;
  const waitingPartitions = (): readonly WaitingPartition[] => positions.waiting;
  return { batcher, server, deadLetters, erasures, lastProgressAt, stalls, partitionPositions, waitingPartitions };
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<IngestSettings>()
  .setClassMethodName('forRoot')
  .build();

/**
 * Ingest as a Nest module, by `forRoot(IngestSettings)` or `forRootAsync({ imports, inject, useFactory })`. It consumes once
 * its server is connected as a microservice:
 * `app.connectMicroservice({ strategy: app.get(Ingest).server }); await app.startAllMicroservices();`
 *
 * As the application ends it fetches no more at once, and the open transactions end before the application shuts down; what it
 * does beside consuming (dead letters, erasures) goes on until then.
 */
@Module({
  imports: [KafkaModule],
  providers: [
    { provide: ChunkRepository, inject: [MODULE_OPTIONS_TOKEN], useFactory: createRepository },
    {
      provide: Ingest,
      inject: [MODULE_OPTIONS_TOKEN, KafkaDriver, ChunkRepository],
      useFactory: (settings: IngestSettings, driver: KafkaDriver, repository: ChunkRepository) =>
        createIngest(settings, createKafkaPorts(settings, driver), repository),
    },
    { provide: BatchConsumer, inject: [Ingest], useFactory: ({ batcher }: Ingest) => batcher },
  ],
  exports: [BatchConsumer, Ingest],
})
export class IngestModule
  extends ConfigurableModuleClass
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown
{
  private consumed: Promise<void> | null = null;

  constructor(private readonly ingest: Ingest) {
    super();
  }

  onApplicationBootstrap(): void {
    this.ingest.deadLetters?.start();
    this.ingest.erasures.start();
  }

  onModuleDestroy(): void {
    this.consumed = this.ingest.server.close();
    // Awaited below, when all intake has been stopped.
    this.consumed.catch(() => undefined);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.consumed;
  }

  async onApplicationShutdown(): Promise<void> {
    const { deadLetters, erasures } = this.ingest;
    await Promise.all([deadLetters?.stop(), erasures.stop()]);
  }
}

/** Takes the batches of the topics that a programs file declares. */
@Controller()
class DeclaredConsumer {
  constructor(private readonly events: BatchConsumer) {}

  @EventPattern(declaredPattern, kafkaBatchTransport)
  consume(@Payload() { batch, lease }: BatchDelivery): Promise<void> {
    return this.events.consume(batch, lease);
  }
}

/** Ingest with the modules whose topics it consumes. */
@Module({ controllers: [DeclaredConsumer] })
export class EventsModule {
  /** @param ingest `IngestModule`, configured */
  static forRoot(ingest: DynamicModule): DynamicModule {
    const subjects = [MembersModule, PurchasesModule, RewardsModule];
    return {
      module: EventsModule,
      imports: [ingest, ...subjects.map((subject) => subject.forRoot(ingest))],
      exports: [ingest],
    };
  }
}
