import type { Kafka } from 'kafkajs';

import { jitteredDelayMs, sleepUnlessAborted } from '#platform';

import type {
  ConsumerSettings,
  ConsumerTools,
  FactsRequest,
  Source,
  SourceFacts,
  SourceListener,
  TopicPartition,
} from '../../driver.js';
import { ConsumerLife, isForeignGroup, metadataAgeMsDefault, type LifeEnd } from './consumer-life.js';
import { limitDecompression } from './limit-decompression.js';
import { createKafka, kafkaErrorFields } from './kafka-connection.js';
import { countLeaders, findTopics, readFacts } from './kafka-facts.js';
import { withKafkaErrors } from './kafka-problem.js';

/** Before a consumer that ended is built anew. */
const rebuildMs = { minMs: 100, maxMs: 5_000 } as const;
/** How often topics that do not exist yet are looked for. */
const missingTopicsPollMs = 3_000;
/** A consumer without a fetch, a heartbeat or a join for so long is taken for dead; a join may take a minute. */
const stallMsMax = 150_000;
const stallCheckMs = 10_000;
/** A consumer without its broker may never finish disconnecting. */
const closeMsMax = 20_000;

/** How often it is looked which topics match a pattern. */
const patternsPollMs = 30_000;

/** What one life consumes, and of which topics it was chosen. */
interface ConsumedTopics {
  readonly wanted: readonly string[];
  readonly existing: readonly string[];
  readonly missing: readonly string[];
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((topic) => others.includes(topic));

/** The source on KafkaJS: builds a consumer, and a new one with backoff whenever it ends by itself. */
export class KafkaSource implements Source {
  private life: ConsumerLife | null = null;
  private readonly stopping = new AbortController();
  private supervision: Promise<void> = Promise.resolve();
  private progressAt: number;
  private announcedMissing = '';
  private readonly missedAt = new Map<string, number>();

  constructor(
    private readonly settings: ConsumerSettings,
    private readonly tools: ConsumerTools,
  ) {
    this.progressAt = tools.clock.monotonic();
  }

  start(listener: SourceListener): void {
    this.supervision = this.supervise(listener);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    if (this.life !== null) await this.close(this.life);
    await this.supervision;
  }

  seek(partition: TopicPartition, offset: number): void {
    this.life?.seek(partition, offset);
  }

  pause(partition: TopicPartition): void {
    this.life?.pause(partition);
  }

  resume(partition: TopicPartition): void {
    this.life?.resume(partition);
  }

  async facts(request: FactsRequest): Promise<SourceFacts> {
    const facts = await withKafkaErrors(() => readFacts(this.client(), request));
    return { ...facts, missedAt: this.missedAt };
  }

  lastProgressAt(): number {
    return this.progressAt;
  }

  private client(): Kafka {
    return createKafka(this.settings.connection(), this.tools.logger);
  }

  private async supervise(listener: SourceListener): Promise<void> {
    const { clock, random } = this.tools;
    for (let delayMs = 0; !this.stopping.signal.aborted;) {
      const startedAt = (this.progressAt = clock.monotonic());
      try {
        const end = await this.liveOnce(listener);
        if (end.kind === 'crashed') this.reportCrash(end.error);
      } catch (error) {
        this.reportStart(error);
      }
      listener.assigned([]);
      const hasLived = clock.monotonic() - startedAt > stallMsMax;
      delayMs = jitteredDelayMs(rebuildMs, hasLived ? 0 : delayMs, random.unit());
      await sleepUnlessAborted(clock, delayMs, this.stopping.signal);
    }
  }

  private async liveOnce(listener: SourceListener): Promise<LifeEnd> {
    const kafka = this.client();
    const { signal } = this.stopping;
    const wanted = this.wanted();
    const { existing, missing } = await findTopics(kafka, wanted, { until: signal, matches: this.matches() });
    this.reportMissing(missing);
    if (existing.length === 0) {
      await sleepUnlessAborted(this.tools.clock, missingTopicsPollMs, signal);
      return { kind: 'ended' };
    }
    const { groupId, installation, shard, decompressedBytesMax, metadataAgeMs = metadataAgeMsDefault } = this.settings;
    const brokers = await countLeaders(kafka, existing, signal);
    limitDecompression({ batchBytesMax: decompressedBytesMax, brokers });
    const onProgress = (): void => {
      this.progressAt = this.tools.clock.monotonic();
    };
    onProgress();
    const life = new ConsumerLife({
      kafka,
      groupId,
      installation,
      ...(shard !== undefined && { shard }),
      topics: existing,
      metadataAgeMs,
      listener,
      clock: this.tools.clock,
      logger: this.tools.logger,
      onProgress,
    });
    return this.watched(life, { wanted, existing, missing });
  }

  /** Those that have a name. */
  private wanted(): readonly string[] {
    const { topics, further } = this.settings;
    return [...new Set([...topics, ...(further?.names() ?? [])])];
  }

  private matches(): ((topic: string) => boolean) | null {
    return this.settings.further?.matches() ?? null;
  }

  /** Watches over one life: ends it when it stalls, when a topic appeared that it does not consume, or when others are wanted. */
  private async watched(life: ConsumerLife, consumed: ConsumedTopics): Promise<LifeEnd> {
    const watch = new AbortController();
    this.life = life;
    void this.watchStall(life, watch.signal);
    if (consumed.missing.length > 0) void this.watchMissing(life, consumed.missing, watch.signal);
    if (this.settings.further !== undefined) void this.watchWanted(life, consumed, watch.signal);
    try {
      return await life.live();
    } finally {
      watch.abort();
      this.life = null;
      await this.close(life);
    }
  }

  private async close(life: ConsumerLife): Promise<void> {
    const closed = new AbortController();
    const closing = life.close().catch(() => undefined);
    void closing.finally(() => {
      closed.abort();
    });
    await sleepUnlessAborted(this.tools.clock, closeMsMax, closed.signal);
  }

  private async watchStall(life: ConsumerLife, signal: AbortSignal): Promise<void> {
    const { clock } = this.tools;
    while (await sleepUnlessAborted(clock, stallCheckMs, signal)) {
      if (clock.monotonic() - this.progressAt > stallMsMax) life.abandon('no sign of life');
    }
  }

  private async watchMissing(life: ConsumerLife, missing: readonly string[], signal: AbortSignal): Promise<void> {
    while (await sleepUnlessAborted(this.tools.clock, missingTopicsPollMs, signal)) {
      const found = await findTopics(this.client(), missing, { until: signal }).catch(() => null);
      if (found !== null && found.existing.length > 0) await life.close().catch(() => undefined);
    }
  }

  /** Names are compared each time; which topics a pattern matches only the brokers know. */
  private async watchWanted(
    life: ConsumerLife,
    { wanted, existing }: ConsumedTopics,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock } = this.tools;
    let lookedAt = clock.monotonic();
    while (await sleepUnlessAborted(clock, missingTopicsPollMs, signal)) {
      let isOther = !isSame(this.wanted(), wanted);
      const mustLook = this.matches() !== null && clock.monotonic() - lookedAt >= patternsPollMs;
      if (!isOther && mustLook) {
        lookedAt = clock.monotonic();
        const looking = { until: signal, matches: this.matches() };
        const found = await findTopics(this.client(), wanted, looking).catch(() => null);
        isOther = found !== null && !isSame(found.existing, existing);
      }
      if (isOther) await life.close().catch(() => undefined);
    }
  }

  private reportStart(error: unknown): void {
    // A stop cuts off what connects.
    const level = this.stopping.signal.aborted ? 'debug' : 'error';
    this.tools.logger[level](kafkaErrorFields(error), 'the Kafka consumer could not start; trying again');
  }

  private reportCrash(error: Error): void {
    const { logger } = this.tools;
    const { groupId } = this.settings;
    if (isForeignGroup(error)) {
      logger.error({ groupId }, 'this consumer group consumes into another database: give each its own');
      return;
    }
    logger.error(kafkaErrorFields(error), 'the Kafka consumer ended; building a new one');
  }

  private reportMissing(missing: readonly string[]): void {
    const now = this.tools.clock.now();
    for (const topic of missing) if (!this.missedAt.has(topic)) this.missedAt.set(topic, now);
    const names = missing.join(', ');
    if (names === this.announcedMissing) return;
    this.announcedMissing = names;
    if (missing.length > 0) this.tools.logger.warn({ topics: missing }, 'topics do not exist yet; waiting for them');
  }
}
