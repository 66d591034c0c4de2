import { randomUUID } from 'node:crypto';

import type { KafkaEnvironment } from '#contracts';
import { KafkaAccess } from '#daemon';
import type { Admin, FetchedBatch, FetchedRecord, Source, SourceListener, TopicPartition } from '#kafka';
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
 * commits nothing, and is taken away afterwards. Where our user may not do that, Kafka forgets it by itself, within minutes.
 * @throws when there is no such topic, or the brokers do not answer
 */
export async function* readTopic(wanted: TopicToRead): AsyncGenerator<TopicRecord, void> {
  const driver = createKafkaDriver();
  const access = new KafkaAccess(driver, () => wanted.kafka, { clock: new SystemClock(), logger });
  const connection = { ...access.connection(), clientId: 'loyaltyd-lint' };
  const admin = driver.admin(connection, logger, 'usual');
  const ranges = await rangesOf(admin, wanted);
  if (ranges.size === 0) return;
  const { groupId: prefix, decompressedBytesMax } = wanted.kafka;
  const groupId = `${prefix}.lint.${randomUUID()}`;
  const source = driver.consumer(
    { connection: () => connection, groupId, installation: groupId, topics: [wanted.topic], decompressedBytesMax },
    { clock: new SystemClock(), random: new SystemRandom(), logger },
  );
  const reading = new TopicReading(source, ranges);
  source.start(reading);
  try {
    yield* reading.records();
  } finally {
    reading.end();
    await source.stop();
    await admin.deleteGroup(groupId).catch(() => undefined);
  }
}

const logger = createLogger({ level: 'silent', service: 'loyaltyd-lint' });

/** Up to where each partition can be read now: what comes behind an open transaction cannot. */
async function rangesOf(admin: Admin, { topic, last }: TopicToRead): Promise<Map<string, Range>> {
  const existing = await admin.existing([topic]);
  if (!existing.has(topic)) throw new Error('the brokers have no such topic');
  const ends = (await admin.ends([topic])).get(topic) ?? [];
  const ranges = ends.map(({ partition, low, stable }): [string, Range] => [
    partitionKey({ topic, partition }),
    { next: Math.max(low, stable - last), end: stable },
  ]);
  return new Map(ranges.filter(([, { next, end }]) => next < end));
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
      this.judged = Promise.withResolvers();
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
    while (this.waiting.length >= waitingBatchesMax && !this.isOver) await this.judged.promise;
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
