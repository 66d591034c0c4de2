import { randomBytes } from 'node:crypto';

import type { Kafka, KafkaMessage } from 'kafkajs';

import { waitUntil } from '#embedded';

/** A record as a consumer that starts from the beginning gets it. */
export interface TopicRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly message: KafkaMessage;
}

const readsWithinMs = 120_000;

/** Every record of these topics, up to where they end now; those of one partition in its order. */
export async function readTopics(kafka: Kafka, topics: readonly string[]): Promise<TopicRecord[]> {
  const records: TopicRecord[] = [];
  const ends = await endsOf(kafka, topics);
  const isRead = (): boolean => [...ends.values()].every((left) => left <= 0);
  if (isRead()) return records;
  const consumer = kafka.consumer({ groupId: `reader-${randomBytes(6).toString('hex')}`, maxWaitTimeInMs: 200 });
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [...topics], fromBeginning: true });
    await consumer.run({
      eachBatch: async ({ batch: { topic, partition, messages } }) => {
        const name = `${topic}/${partition}`;
        for (const message of messages) {
          if ((ends.get(name) ?? 0) <= 0) return;
          records.push({ topic, partition, offset: Number(message.offset), message });
          ends.set(name, (ends.get(name) ?? 0) - 1);
        }
      },
    });
    await waitUntil(isRead, { what: 'all records to be read', timeoutMs: readsWithinMs });
  } finally {
    await consumer.disconnect();
  }
  return records;
}

/** How many records each partition holds. */
async function endsOf(kafka: Kafka, topics: readonly string[]): Promise<Map<string, number>> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const ends = new Map<string, number>();
    for (const topic of topics) {
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
        ends.set(`${topic}/${partition}`, Number(high) - Number(low));
      }
    }
    return ends;
  } finally {
    await admin.disconnect();
  }
}
