import type { Clock } from '#platform';
import { sleepUnlessAborted } from '#platform';

import type {
  BatchLease,
  ConsumerTools,
  FetchedBatch,
  KafkaConnection,
  KafkaDriver,
  Source,
  SourceListener,
  TopicPartition,
} from './driver.js';
import { partitionKey } from './driver.js';

/** Batches that wait to be judged, and with them what is in memory. */
const waitingBatchesMax = 4;
/** The brokers may be silent for so long, while they are joined or between two batches. */
const silenceMsMax = 60_000;
/** How often a sign of life is given while batches wait. */
const heartbeatEveryMs = 2_000;

/** Of one partition; what lies before `from`, and from `end` on, is not read. */
export interface TopicRange extends TopicPartition {
  readonly from: number;
  readonly end: number;
}

interface RangesToRead {
  readonly driver: KafkaDriver;
  readonly connection: KafkaConnection;
  /** Of this reading alone: it commits nothing, and is taken away afterwards. */
  readonly groupId: string;
  readonly decompressedBytesMax: number;
  readonly ranges: readonly TopicRange[];
  readonly tools: ConsumerTools;
  /** Ends it: what is fetched by then may not be handed on. Absent: it ends with its ranges. */
  readonly signal?: AbortSignal;
}

/**
 * The records of some ranges, decompressed within a limit, those of each partition in their order; a batch may have none left.
 * They are read by a consumer group of its own. Where our user may not take it away, Kafka forgets it by itself, within minutes.
 * @throws when the brokers do not answer
 */
export async function* readRanges(wanted: RangesToRead): AsyncGenerator<FetchedBatch, void> {
  const { driver, connection, groupId, decompressedBytesMax, tools, signal } = wanted;
  const ranges = wanted.ranges.filter(({ from, end }) => from < end);
  if (ranges.length === 0) return;
  const topics = [...new Set(ranges.map(({ topic }) => topic))];
  const source = driver.consumer(
    { connection: () => connection, groupId, installation: groupId, topics, decompressedBytesMax },
    tools,
  );
  const reading = new RangesReading(source, ranges, tools.clock);
  const stop = (): void => reading.end();
  signal?.addEventListener('abort', stop);
  source.start(reading);
  try {
    if (signal?.aborted !== true) yield* reading.batches();
  } finally {
    signal?.removeEventListener('abort', stop);
    reading.end();
    await source.stop();
    const admin = driver.admin(connection, tools.logger, 'usual');
    await admin.deleteGroup(groupId).catch(() => undefined);
  }
}

interface OpenRange {
  next: number;
  readonly end: number;
}

/** Hands on what a consumer brings until each partition has been read up to its end. */
class RangesReading implements SourceListener {
  private readonly ranges: Map<string, OpenRange>;
  private readonly waiting: FetchedBatch[] = [];
  private wakes = Promise.withResolvers<undefined>();
  private judged = new AbortController();
  private isOver = false;

  constructor(
    private readonly source: Source,
    ranges: readonly TopicRange[],
    private readonly clock: Clock,
  ) {
    this.ranges = new Map(ranges.map((range) => [partitionKey(range), { next: range.from, end: range.end }]));
  }

  /** @throws when nothing has come for `silenceMsMax` */
  async *batches(): AsyncGenerator<FetchedBatch, void> {
    while (!this.isOver && (this.waiting.length > 0 || this.ranges.size > 0)) {
      const batch = this.waiting.shift();
      if (batch === undefined) await this.news();
      else yield batch;
      this.judged.abort();
      this.judged = new AbortController();
    }
  }

  end(): void {
    this.isOver = true;
    this.judged.abort();
    this.wakes.resolve(undefined);
  }

  assigned(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) {
      const range = this.ranges.get(partitionKey(partition));
      if (range === undefined) continue;
      this.source.seek(partition, range.next);
      this.source.resume(partition);
    }
  }

  async batch(fetched: FetchedBatch, lease: BatchLease): Promise<void> {
    const range = this.ranges.get(partitionKey(fetched));
    if (range === undefined) return;
    const records = fetched.records.filter(({ offset }) => offset >= range.next && offset < range.end);
    this.waiting.push({ ...fetched, records, nextOffset: Math.min(fetched.nextOffset, range.end) });
    this.passed(fetched, fetched.nextOffset);
    while (this.waiting.length >= waitingBatchesMax && !this.isOver) {
      await sleepUnlessAborted(this.clock, heartbeatEveryMs, this.judged.signal);
      // Whoever lost the partition is given it again where this one continues.
      await lease.heartbeat().catch(() => undefined);
    }
  }

  skipped(range: TopicPartition & { readonly nextOffset: number }): void {
    this.passed(range, range.nextOffset);
  }

  /** Nothing is acknowledged: a seek says where the partition continues. */
  private passed(partition: TopicPartition, nextOffset: number): void {
    const range = this.ranges.get(partitionKey(partition));
    if (range === undefined) return;
    range.next = Math.max(range.next, nextOffset);
    if (range.next >= range.end) {
      this.ranges.delete(partitionKey(partition));
      this.source.pause(partition);
    } else this.source.seek(partition, range.next);
    this.wakes.resolve(undefined);
  }

  private async news(): Promise<void> {
    const silence = Promise.withResolvers<never>();
    const cancel = this.clock.after(silenceMsMax, () => {
      silence.reject(new Error(`the brokers sent nothing for ${silenceMsMax / 1_000} seconds`));
    });
    try {
      await Promise.race([this.wakes.promise, silence.promise]);
    } finally {
      cancel();
      this.wakes = Promise.withResolvers();
    }
  }
}
