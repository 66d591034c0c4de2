import type { DynamicModule, ModuleMetadata } from '@nestjs/common';
import { Injectable, Module } from '@nestjs/common';

import type { KafkaEnvironment } from '#contracts';
import { prepareAgain } from '#events/ingest';
import type { ConsumerTools, FetchedBatch, KafkaConnection, KafkaDriver } from '#kafka';
import { partitionKey, readRanges } from '#kafka';
import type { BrokersPartition, PartToRead, ReadPart } from '#operations';
import { TopicReader, TopicRules } from '#operations';

import { Configuration } from '../environment/configuration.module.js';
import { Platform } from '../platform.module.js';
import { Storage } from '../storage/storage.module.js';
import { KafkaAccess } from './kafka-access.js';

interface ReaderTools extends ConsumerTools {
  readonly access: KafkaAccess;
  readonly kafka: KafkaEnvironment;
  readonly hasDeadLetters: boolean;
  readonly rules: TopicRules;
  readonly prepare: (batch: FetchedBatch) => AsyncIterable<ReadPart>;
}

/** Reads topics again on the daemon's Kafka, by consumer groups of their own beside its group. */
class KafkaTopicReader implements TopicReader {
  constructor(private readonly tools: ReaderTools) {}

  get rules(): TopicRules {
    return this.tools.rules;
  }

  get hasDeadLetters(): boolean {
    return this.tools.hasDeadLetters;
  }

  async look(
    wanted: readonly string[],
    { at, knownSince }: { readonly at: number | null; readonly knownSince: number },
  ): Promise<{ readonly clusterId: string; readonly partitions: readonly BrokersPartition[] }> {
    const { logger } = this.tools;
    const admin = this.driver.admin(this.connection, logger, 'usual');
    const existing = await admin.existing(wanted);
    const topics = wanted.filter((topic) => existing.has(topic));
    const ends = await admin.ends(topics);
    const { clusterId, offsetsAt: knownAt } = await this.facts(topics, knownSince);
    const offsetsAt = at === null ? null : (await this.facts(topics, at)).offsetsAt;
    const partitions = topics.flatMap((topic) =>
      (ends.get(topic) ?? []).map(({ partition, low, high, stable }): BrokersPartition => {
        const key = partitionKey({ topic, partition });
        const wantedAt = offsetsAt === null ? null : (offsetsAt.get(key) ?? high);
        return { topic, partition, low, stable, at: wantedAt, knownAt: knownAt.get(key) ?? high };
      }),
    );
    return { clusterId, partitions };
  }

  async *read(parts: readonly PartToRead[], signal: AbortSignal): AsyncGenerator<ReadPart, void> {
    const { kafka, prepare, clock, random, logger } = this.tools;
    const tools = { clock, random, logger };
    const ranges = parts.map(({ topic, partition, next: from, end }) => ({ topic, partition, from, end }));
    const { driver, connection } = this;
    const { decompressedBytesMax } = kafka;
    const reading = { driver, connection, groupId: this.groupId, decompressedBytesMax, ranges, tools, signal };
    for await (const batch of readRanges(reading)) yield* prepare(batch);
  }

  private get driver(): KafkaDriver {
    return this.tools.access.driver;
  }

  private get connection(): KafkaConnection {
    return this.tools.access.connection();
  }

  private get groupId(): string {
    return `${this.tools.kafka.groupId}.reread.${this.tools.random.uuid()}`;
  }

  private facts(topics: readonly string[], timeMs: number): ReturnType<ReturnType<KafkaDriver['consumer']>['facts']> {
    const { kafka, clock, random, logger } = this.tools;
    const tools = { clock, random, logger };
    const { decompressedBytesMax } = kafka;
    const { groupId } = this;
    // It is asked, and never started.
    const settings = {
      connection: () => this.connection,
      groupId,
      installation: groupId,
      topics,
      decompressedBytesMax,
    };
    return this.driver.consumer(settings, tools).facts({ topics, timeMs });
  }
}

/** What it needs of its process. */
@Injectable()
class ReaderParts {
  constructor(
    readonly configuration: Configuration,
    readonly storage: Storage,
    readonly platform: Platform,
    readonly access: KafkaAccess,
  ) {}
}

function topicReader({ configuration, storage, platform, access }: ReaderParts, rules: TopicRules): TopicReader {
  const { environment, programs, sources } = configuration;
  const { kafka, retention } = environment;
  if (kafka === null) throw new Error('Kafka must be configured');
  const { clock, random } = storage;
  const preparing = { programs: () => programs.current, sources, now: () => clock.now() };
  const prepare = (batch: FetchedBatch): AsyncIterable<ReadPart> => prepareAgain(batch, preparing);
  const { hasDeadLetters } = retention;
  return new KafkaTopicReader({
    access,
    kafka,
    hasDeadLetters,
    rules,
    prepare,
    clock,
    random,
    logger: platform.logger,
  });
}

const provider = { provide: TopicReader, inject: [ReaderParts, TopicRules], useFactory: topicReader };

/** What jobs that read topics work with, in a process that has Kafka. */
@Module({ providers: [ReaderParts, provider], exports: [provider] })
export class TopicReaderModule {
  /** @param imports what provides `TopicRules` */
  static forRoot(imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: TopicReaderModule, imports };
  }
}
