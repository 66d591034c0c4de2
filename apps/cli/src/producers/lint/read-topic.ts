import { randomUUID } from 'node:crypto';

import type { KafkaEnvironment } from '#contracts';
import { KafkaAccess } from '#daemon';
import type { Admin, FetchedRecord, TopicRange } from '#kafka';
import { createKafkaDriver, readRanges } from '#kafka';
import { createLogger, SystemClock, SystemRandom } from '#platform';

/** A record where it lies. */
export interface TopicRecord extends FetchedRecord {
  readonly partition: number;
}

interface TopicToRead {
  readonly kafka: KafkaEnvironment;
  readonly topic: string;
  /** The newest so many of each partition. */
  readonly last: number;
}

/**
 * The newest records of a topic, decompressed within the daemon's limits.
 * @throws when there is no such topic, or the brokers do not answer
 */
export async function* readTopic(wanted: TopicToRead): AsyncGenerator<TopicRecord, void> {
  const driver = createKafkaDriver();
  const access = new KafkaAccess(driver, () => wanted.kafka, { clock: new SystemClock(), logger });
  const connection = { ...access.connection(), clientId: 'loyaltyd-lint' };
  const ranges = await rangesOf(driver.admin(connection, logger, 'usual'), wanted);
  const { groupId: prefix, decompressedBytesMax } = wanted.kafka;
  const groupId = `${prefix}.lint.${randomUUID()}`;
  const tools = { clock: new SystemClock(), random: new SystemRandom(), logger };
  for await (const batch of readRanges({ driver, connection, groupId, decompressedBytesMax, ranges, tools })) {
    for (const record of batch.records) yield { ...record, partition: batch.partition };
  }
}

const logger = createLogger({ level: 'silent', service: 'loyaltyd-lint' });

/** Up to where each partition can be read now: what comes behind an open transaction cannot. */
async function rangesOf(admin: Admin, { topic, last }: TopicToRead): Promise<readonly TopicRange[]> {
  const existing = await admin.existing([topic]);
  if (!existing.has(topic)) throw new Error('the brokers have no such topic');
  const ends = (await admin.ends([topic])).get(topic) ?? [];
  return ends.map(({ partition, low, stable: end }) => ({ topic, partition, from: Math.max(low, end - last), end }));
}
