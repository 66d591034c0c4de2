import kafkajs from 'kafkajs';
import type { Kafka, Message, RecordMetadata } from 'kafkajs';

import type { OutgoingRecord, Producer, PutRecords, TopicRecords } from '../../driver.js';
import { withKafkaErrors } from './kafka-problem.js';

const acksOfAll = -1;
const producerRetriesMax = 2;

function toMessages(records: readonly OutgoingRecord[]): Message[] {
  return records.map(({ sentAt, ...message }) => ({
    ...message,
    ...(sentAt !== undefined && { timestamp: String(sentAt) }),
  }));
}

function toPut({ topicName: topic, partition, baseOffset, offset, logAppendTime }: RecordMetadata): PutRecords {
  const appendedAt = Number(logAppendTime ?? -1);
  return {
    topic,
    partition,
    firstOffset: Number(baseOffset ?? offset),
    appendedAt: appendedAt < 0 ? null : appendedAt,
  };
}

/** A connected producer. The partitioner is the one of Java's clients. */
export async function connectProducer(kafka: Kafka): Promise<Producer> {
  const producer = kafka.producer({
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    retry: { retries: producerRetriesMax },
  });
  const topicMessages = (all: readonly TopicRecords[]): { topic: string; messages: Message[] }[] =>
    all.map(({ topic, records }) => ({ topic, messages: toMessages(records) }));
  await withKafkaErrors(() => producer.connect());
  return {
    send: (all) =>
      withKafkaErrors(async () => {
        const acknowledged = await producer.sendBatch({ topicMessages: topicMessages(all), acks: acksOfAll });
        return acknowledged.map(toPut);
      }),
    close: () => producer.disconnect().catch(() => undefined),
  };
}
