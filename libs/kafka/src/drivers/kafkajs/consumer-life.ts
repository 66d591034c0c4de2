import kafkajs from 'kafkajs';
import type { Batch, Consumer, ConsumerGroupJoinEvent, EachBatchPayload, Kafka, Offsets } from 'kafkajs';
import type { Clock, Logger } from '#platform';
import type { BatchLease, FetchedBatch, SourceListener, TopicPartition } from '../../driver.js';
import { toFetchedRecord } from '../../records/record-reader.js';
import { groupAssigner, type GroupTerms } from './group-assigner.js';
import { kafkaErrorFields } from './kafka-connection.js';
import { OffsetHints } from './offset-hints.js';

/** The broker let us not into the group: its members consume into another database. */
export function isForeignGroup(error: unknown): boolean {
  const seen = new Set<unknown>();
  for (let at = error; at instanceof Error && !seen.has(at); at = at.cause) {
    if (at instanceof kafkajs.KafkaJSProtocolError && at.type === 'INCONSISTENT_GROUP_PROTOCOL') return true;
    seen.add(at);
  }
  return false;
}

/** What KafkaJS' batches carry beyond their declared type (src/consumer/batch.js, 2.2.4). */
type BatchWithStart = Batch & { readonly fetchedOffset?: string };

/** Whether nothing of its partition was left in Kafka. */
function isLast(batch: Batch): boolean {
  return Number(batch.lastOffset()) + 1 >= Number(batch.highWatermark);
}

function toFetchedBatch(batch: Batch): FetchedBatch {
  const { topic, partition, messages } = batch;
  return {
    topic,
    partition,
    fetchedFrom: Number((batch as BatchWithStart).fetchedOffset ?? batch.firstOffset()),
    nextOffset: Number(batch.lastOffset()) + 1,
    highWatermark: Number(batch.highWatermark),
    records: messages.map(toFetchedRecord),
  };
}

/** A KafkaJS error passes; any other would stop the consumer for good or be taken for a defect of the handler. */
export function asKafkaError(error: unknown): Error {
  if (error instanceof kafkajs.KafkaJSError) return error;
  return new kafkajs.KafkaJSError(error instanceof Error ? error : String(error), { retriable: true });
}

/** The hold on one batch, on top of what `eachBatch` hands over. */
export class KafkaLease implements BatchLease {
  private acknowledged: number | null = null;
  private lostBy: Error | null = null;

  constructor(private readonly payload: EachBatchPayload) {}

  /** Why the partition was lost: to be thrown to KafkaJS, which then joins the group again. */
  get failure(): Error | null {
    return this.lostBy;
  }

  /** Everything below is durable; null while nothing is, and once the partition was lost. */
  get nextOffset(): number | null {
    return this.lostBy === null ? this.acknowledged : null;
  }

  acknowledge(nextOffset: number): void {
    try {
      this.payload.resolveOffset(String(nextOffset - 1));
      this.acknowledged = nextOffset;
    } catch (error) {
      // After a rejoin KafkaJS may no longer know the topic. The stored offset is the truth; nothing is lost.
      this.lostBy ??= asKafkaError(error);
    }
  }

  async heartbeat(): Promise<void> {
    try {
      await this.payload.heartbeat();
    } catch (error) {
      this.lostBy ??= asKafkaError(error);
      throw this.lostBy;
    }
  }
}

/** Partitions whose batches are worked on at once: while one waits for its commit, others decode. */
export const partitionsConcurrentMax = 4;
/**
 * Whoever dies without a word holds up its whole group for so long, twice when it leads a rebalance: with 30 s (and 60 s
 * for a rebalance) replicas killed every few seconds let nothing be ingested for minutes.
 */
const sessionTimeoutMs = 10_000;
const rebalanceTimeoutMs = 20_000;
/** KafkaJS sends no sign of life more often than this, however often it is asked to. */
const heartbeatIntervalMs = 1_000;
/**
 * Longest wait of one fetch for a first byte: each wakes a process that has nothing to do. Also how long a resumed partition may
 * wait for its first fetch, and a stop for the last one. Twice as long where nothing comes (quiet-fetches.ts).
 */
const fetchWaitMs = 500;
/**
 * Of each broker, as it was sent; how far it is taken apart is limited by records/record-set.ts. An answer is in memory while
 * it is worked on: 16 MiB of a topic that is compressed 9:1 took a process to 570 MiB before there was that limit, 2 MiB to 453
 * (`npm run bench -- --only container`). What is not compressed is read a tenth slower for it.
 */
const fetchBytesMax = 2 * 1024 * 1024;
const partitionFetchBytesMax = 512 * 1024;
/** At least, from a fetch that brought all there was to the next one: what comes meanwhile shares a transaction (decision 0015). */
export const fetchSpacingMs = 6;
/** How soon added partitions are noticed. */
export const metadataAgeMsDefault = 60_000;
const clientRetriesMax = 5;

interface ConsumerLifeOptions extends GroupTerms {
  readonly kafka: Kafka;
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly metadataAgeMs: number;
  readonly listener: SourceListener;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onProgress: () => void;
}

/** Why a consumer must be built anew. */
export type LifeEnd = { readonly kind: 'crashed'; readonly error: Error } | { readonly kind: 'ended' };

/**
 * One KafkaJS consumer from its first connection to its end. It never restarts itself: KafkaJS gives up for good on
 * some errors and restarts for ever on others, so that whoever owns the lives does both, with backoff.
 */
export class ConsumerLife {
  private readonly consumer: Consumer;
  private readonly end = Promise.withResolvers<LifeEnd>();
  private readonly hints: OffsetHints;
  private isRunning = false;
  private isClosed = false;
  private joining: Promise<void> = Promise.resolve();

  constructor(private readonly options: ConsumerLifeOptions) {
    this.consumer = options.kafka.consumer({
      groupId: options.groupId,
      partitionAssigners: [groupAssigner(options)],
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: rebalanceTimeoutMs,
      heartbeatInterval: heartbeatIntervalMs,
      maxWaitTimeInMs: fetchWaitMs,
      maxBytes: fetchBytesMax,
      maxBytesPerPartition: partitionFetchBytesMax,
      metadataMaxAge: options.metadataAgeMs,
      allowAutoTopicCreation: false,
      retry: { retries: clientRetriesMax, restartOnFailure: () => Promise.resolve(false) },
    });
    this.hints = new OffsetHints(options.clock, options.logger);
    this.listen();
  }

  /** Resolves when the consumer crashed or was told to end; rejects when it could not even start. */
  async live(): Promise<LifeEnd> {
    await this.consumer.connect();
    await this.consumer.subscribe({ topics: [...this.options.topics], fromBeginning: true });
    // Closed while it connected: `close` has nothing more to disconnect from what would start now.
    if (this.isClosed) return { kind: 'ended' };
    this.isRunning = true;
    this.joining = this.consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: partitionsConcurrentMax,
      eachBatch: (payload) => this.eachBatch(payload),
    });
    return Promise.race([this.end.promise, this.joining.then(() => this.end.promise)]);
  }

  /**
   * Lets the batches in work come to their end, leaves the group, disconnects. A first join is waited for: KafkaJS
   * cannot leave before it has joined, and a join cut off reconnects and holds partitions that nobody works on.
   */
  async close(): Promise<void> {
    this.isRunning = false;
    this.isClosed = true;
    this.end.resolve({ kind: 'ended' });
    await this.joining.catch(() => undefined);
    const lastHint = this.hints.commitPending();
    await this.consumer.disconnect();
    await lastHint;
  }

  /** Makes `live` resolve; the consumer must be closed then. */
  abandon(reason: string): void {
    this.end.resolve({ kind: 'crashed', error: new Error(reason) });
  }

  seek({ topic, partition }: TopicPartition, offset: number): void {
    this.attempt(() => this.consumer.seek({ topic, partition, offset: String(offset) }));
  }

  pause({ topic, partition }: TopicPartition): void {
    this.attempt(() => this.consumer.pause([{ topic, partitions: [partition] }]));
  }

  resume({ topic, partition }: TopicPartition): void {
    this.attempt(() => this.consumer.resume([{ topic, partitions: [partition] }]));
  }

  /** KafkaJS refuses these between a crash and its end; the next life begins with an assignment anyway. */
  private attempt(action: () => void): void {
    if (!this.isRunning) return;
    try {
      action();
    } catch (error) {
      this.options.logger.debug(kafkaErrorFields(error), 'the consumer is not running');
    }
  }

  private listen(): void {
    const { consumer, end } = this;
    const { listener, onProgress } = this.options;
    const { GROUP_JOIN, CRASH, FETCH, HEARTBEAT, END_BATCH_PROCESS } = consumer.events;
    consumer.on(GROUP_JOIN, (event) => this.assigned(event));
    consumer.on(CRASH, ({ payload }) => end.resolve({ kind: 'crashed', error: payload.error }));
    consumer.on(FETCH, onProgress);
    consumer.on(HEARTBEAT, onProgress);
    consumer.on(END_BATCH_PROCESS, ({ payload }) => {
      onProgress();
      if (payload.batchSize > 0) return;
      const { topic, partition, lastOffset } = payload;
      // Declared as text, but null where everything that was fetched lies below the offset asked for.
      const firstOffset = payload.firstOffset as string | null;
      listener.skipped({
        topic,
        partition,
        from: Number(firstOffset ?? lastOffset),
        nextOffset: Number(lastOffset) + 1,
      });
    });
  }

  /** Runs inside KafkaJS' join, before anything is fetched: a pause set here takes effect. */
  private assigned({ payload }: ConsumerGroupJoinEvent): void {
    if (this.isClosed) return;
    this.options.onProgress();
    // Another one leads the group now, and knows what nobody reads.
    if (!payload.isLeader) this.options.shard?.onShared([]);
    this.hints.forget();
    const partitions = Object.entries(payload.memberAssignment).flatMap(([topic, numbers]) =>
      numbers.map((partition) => ({ topic, partition })),
    );
    const topics = Object.entries(payload.memberAssignment).map(([topic, numbers]) => ({ topic, partitions: numbers }));
    this.attempt(() => this.consumer.pause(topics));
    this.options.listener.assigned(partitions);
  }

  private async eachBatch(payload: EachBatchPayload): Promise<void> {
    const lease = new KafkaLease(payload);
    const { clock } = this.options;
    const arrivedAt = clock.monotonic();
    try {
      await this.options.listener.batch(toFetchedBatch(payload.batch), lease);
    } catch (error) {
      throw asKafkaError(error);
    }
    const { nextOffset } = lease;
    const commit = (offsets: Offsets): Promise<void> => payload.commitOffsetsIfNecessary(offsets);
    if (nextOffset !== null) this.hints.progressed(payload.batch, nextOffset, commit);
    if (lease.failure !== null) throw lease.failure;
    if (isLast(payload.batch)) await clock.sleep(fetchSpacingMs - (clock.monotonic() - arrivedAt));
  }
}
