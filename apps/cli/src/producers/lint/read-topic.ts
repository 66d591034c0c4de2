import { randomUUID } from 'node:crypto';

import type { KafkaEnvironment } from '#contracts';
import { kafkaConnection } from '#daemon';
import type { FetchedBatch, FetchedRecord, KafkaDriver, Source, SourceListener, TopicPartition } from '#kafka';
import { createKafkaDriver, partitionKey } from '#kafka';
import { createLogger, SystemClock, SystemRandom } from '#platform';

/** A record where it lies. */
export interface TopicRecord extends FetchedRecord {
  readonly partition: number;
}

/** Batches that wait to be judged, and with them what is in memory. */
const waitingBatchesMax = 4;
/** The brokers may be silent for so long, while they are joined or between two batches. */
const silenceMsMax = 60_000;

interface TopicToRead {
  readonly kafka: KafkaEnvironment;
  readonly topic: string;
  /** The newest so many of each partition. */
  readonly last: number;
}

interface Range {
  next: number;
  readonly end: number;
}

/**
 * The newest records of a topic, decompressed within the daemon's limits. They are read by a consumer group of its own that
 * commits nothing: Kafka forgets an empty group without offsets by itself, within minutes.
 * @throws when there is no such topic, or the brokers do not answer
 */
export async function* readTopic(wanted: TopicToRead): AsyncGenerator<TopicRecord, void> {
  const driver = createKafkaDriver();
  await requireTopic(driver, wanted);
  const source = consumerOf(driver, wanted);
  const ranges = await rangesOf(source, wanted);
  if (ranges.size === 0) return;
  const reading = new TopicReading(source, ranges);
  source.start(reading);
  try {
    yield* reading.records();
  } finally {
    reading.end();
    await source.stop();
  }
}

const logger = createLogger({ level: 'silent', service: 'loyaltyd-lint' });

async function requireTopic(driver: KafkaDriver, { kafka, topic }: TopicToRead): Promise<void> {
  const existing = await driver.admin(kafkaConnection(kafka), logger, 'usual').existing([topic]);
  if (!existing.has(topic)) throw new Error('the brokers have no such topic');
}

function consumerOf(driver: KafkaDriver, { kafka, topic }: TopicToRead): Source {
  const groupId = `${kafka.groupId}.lint.${randomUUID()}`;
  const { decompressedBytesMax } = kafka;
  const connection = () => ({ ...kafkaConnection(kafka), clientId: 'loyaltyd-lint' });
  return driver.consumer(
    { connection, groupId, installation: groupId, topics: [topic], decompressedBytesMax },
    { clock: new SystemClock(), random: new SystemRandom(), logger },
  );
}

async function rangesOf(source: Source, { topic, last }: TopicToRead): Promise<Map<string, Range>> {
  const { watermarks } = await source.facts({ topics: [topic], timeMs: null });
  const ranges = (watermarks.get(topic) ?? []).flatMap(({ partition, low, high }): [string, Range][] =>
    low < high ? [[partitionKey({ topic, partition }), { next: Math.max(low, high - last), end: high }]] : [],
  );
  return new Map(ranges);
}

/** Hands on what a consumer brings until each partition has been read up to where it ended when it was asked. */
class TopicReading implements SourceListener {
  private readonly waiting: FetchedBatch[] = [];
  private wakes = Promise.withResolvers<undefined>();
  private judged = Promise.withResolvers<undefined>();
  private isOver = false;

  constructor(
    private readonly source: Source,
    private readonly ranges: Map<string, Range>,
  ) {}

  /** @throws when nothing has come for `silenceMsMax` */
  async *records(): AsyncGenerator<TopicRecord, void> {
    while (this.waiting.length > 0 || this.ranges.size > 0) {
      const batch = this.waiting.shift();
      if (batch === undefined) await this.news();
      else for (const record of batch.records) yield { ...record, partition: batch.partition };
      this.judged.resolve(undefined);
    }
  }

  end(): void {
    this.isOver = true;
    this.judged.resolve(undefined);
  }

  assigned(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) {
      const range = this.ranges.get(partitionKey(partition));
      if (range === undefined) continue;
      this.source.seek(partition, range.next);
      this.source.resume(partition);
    }
  }

  async batch(fetched: FetchedBatch): Promise<void> {
    const range = this.ranges.get(partitionKey(fetched));
    if (range === undefined) return;
    const records = fetched.records.filter(({ offset }) => offset >= range.next && offset < range.end);
    this.waiting.push({ ...fetched, records });
    this.passed(fetched, fetched.nextOffset);
    while (this.waiting.length >= waitingBatchesMax && !this.isOver) {
      this.judged = Promise.withResolvers();
      await this.judged.promise;
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
    const timer = setTimeout(() => {
      silence.reject(new Error(`the brokers sent nothing for ${silenceMsMax / 1_000} seconds`));
    }, silenceMsMax);
    try {
      await Promise.race([this.wakes.promise, silence.promise]);
    } finally {
      clearTimeout(timer);
      this.wakes = Promise.withResolvers();
    }
  }
}
