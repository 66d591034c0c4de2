import { setTimeout as delay } from 'node:timers/promises';

import { Kafka, logLevel, type Message, type Producer } from 'kafkajs';

import { sourceTopics } from '../installation/topics.js';
import type { Emission } from './emission.js';

const retryMs = 300;
const requestMsMax = 10_000;
const allReplicas = -1;

function messageOf({ key, value, headers }: Emission): Message {
  return { key, value, headers: { ...headers } };
}

/**
 * Produces in order, with every acknowledgement, past every proxy. What is not acknowledged (the broker is away, or it
 * died before it could say so) is sent again until it is, as tills do: the same event ids, perhaps twice in the log.
 */
export class TillProducer {
  private producer: Producer | null = null;
  private readonly kafka: Kafka;
  private isStopped = false;
  /** Records the broker has acknowledged. */
  acknowledged = 0;
  /** Records sent, each time counted. */
  sent = 0;

  constructor(brokers: string) {
    this.kafka = new Kafka({
      clientId: 'tills',
      brokers: [brokers],
      logLevel: logLevel.NOTHING,
      requestTimeout: requestMsMax,
      retry: { retries: 0 },
    });
  }

  /** Resolves when all are acknowledged; after `stop`, with what is not left out. */
  async produce(emissions: readonly Emission[], onAcknowledged: (emission: Emission) => void): Promise<void> {
    const byTopic = Map.groupBy(emissions, ({ topic }) => topic);
    for (const [topic, items] of byTopic) {
      if (await this.send(sourceTopics[topic], items)) items.forEach(onAcknowledged);
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.producer?.disconnect().catch(() => undefined);
  }

  private async send(topic: string, items: readonly Emission[]): Promise<boolean> {
    while (!this.isStopped) {
      try {
        const producer = await this.connected();
        this.sent += items.length;
        await producer.send({ topic, acks: allReplicas, messages: items.map(messageOf) });
        this.acknowledged += items.length;
        return true;
      } catch {
        await this.producer?.disconnect().catch(() => undefined);
        this.producer = null;
        await delay(retryMs);
      }
    }
    return false;
  }

  private async connected(): Promise<Producer> {
    if (this.producer !== null) return this.producer;
    const producer = this.kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    this.producer = producer;
    return producer;
  }
}
