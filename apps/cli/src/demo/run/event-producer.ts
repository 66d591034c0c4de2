import { createHash } from 'node:crypto';
import kafkajs from 'kafkajs';
import type { Kafka, Message, Producer, TopicMessages } from 'kafkajs';

import { houseTopics } from '../../house/house.js';
import type { EmittedRecord } from '../audit/audit-input.js';
import type { Draft, EncodedRecord } from '../traffic/draft.js';
import { quietTimerWarning } from './quiet-timer-warning.js';

/** A record ready to be sent. */
export interface OutgoingRecord {
  readonly draft: Draft;
  readonly encoded: EncodedRecord;
}

interface Addressed extends OutgoingRecord {
  readonly topic: string;
  readonly partition: number;
}

/** Sends records in order, all of a member to one partition, and knows afterwards where each of them lies. */
export class EventProducer {
  private readonly kafka: Kafka;
  private readonly producer: Producer;
  private partitions: ReadonlyMap<string, number> = new Map();

  constructor(brokers: string) {
    this.kafka = new kafkajs.Kafka({
      brokers: [brokers],
      clientId: 'loyaltyd-demo',
      logLevel: kafkajs.logLevel.ERROR,
    });
    this.producer = this.kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  }

  async connect(): Promise<void> {
    quietTimerWarning();
    await this.producer.connect();
    const admin = this.kafka.admin();
    await admin.connect();
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: Object.values(houseTopics) });
      this.partitions = new Map(topics.map(({ name, partitions }) => [name, partitions.length]));
    } finally {
      await admin.disconnect();
    }
  }

  async send(records: readonly OutgoingRecord[]): Promise<readonly EmittedRecord[]> {
    const addressed = records.map((record) => this.address(record));
    const topicMessages: TopicMessages[] = [...Map.groupBy(addressed, ({ topic }) => topic)].map(([topic, some]) => ({
      topic,
      messages: some.map(messageOf),
    }));
    const acknowledged = await this.producer.sendBatch({ topicMessages, acks: -1 });
    const next = new Map(
      acknowledged.map(({ topicName, partition, baseOffset }) => [`${topicName}/${partition}`, Number(baseOffset)]),
    );
    return addressed.map(({ draft, topic, partition }) => {
      const offset = next.get(`${topic}/${partition}`);
      if (offset === undefined) throw new Error(`the broker did not say where it put records of ${topic}`);
      next.set(`${topic}/${partition}`, offset + 1);
      return { topic, partition, offset, role: draft.role, expectation: draft.expectation };
    });
  }

  disconnect(): Promise<void> {
    return this.producer.disconnect();
  }

  private address(record: OutgoingRecord): Addressed {
    const topic = houseTopics[record.draft.topic];
    const digest = createHash('sha256').update(record.draft.key).digest();
    return { ...record, topic, partition: digest.readUInt32BE(0) % (this.partitions.get(topic) ?? 1) };
  }
}

function messageOf({ draft, encoded, partition }: Addressed): Message {
  return { key: draft.key, value: encoded.value, headers: encoded.headers, partition };
}
