import kafkajs from 'kafkajs';
import type { Message, Producer, RecordMetadata } from 'kafkajs';

import type { Clock, Logger } from '#platform';

import { createKafka, type KafkaConnection } from './drivers/kafkajs/kafka-connection.js';

const acksOfAll = -1;
const producerRetriesMax = 2;

export interface TopicProducerSettings {
  /** Asked at each connection, so that renewed secrets are used. */
  readonly connection: () => KafkaConnection;
  readonly topic: string;
  /** Within `withinTime`, connecting included. */
  readonly timeMsMax: number;
}

export function isTooLarge(error: unknown): boolean {
  return error instanceof kafkajs.KafkaJSProtocolError && error.type === 'MESSAGE_TOO_LARGE';
}

/** Writes to one topic; connects when there is something to write, and anew after a failure. */
export class TopicProducer {
  private producer: Promise<Producer> | null = null;

  constructor(
    private readonly settings: TopicProducerSettings,
    private readonly tools: { readonly clock: Clock; readonly logger: Logger },
  ) {}

  /** Runs `work`, which sends; gives up and closes the connection when it fails or takes too long. */
  async withinTime(work: () => Promise<void>): Promise<void> {
    const done = new AbortController();
    const tooLate = this.tools.clock.sleep(this.settings.timeMsMax, done.signal).then(() => {
      throw new Error('the broker did not acknowledge in time');
    });
    try {
      await Promise.race([work(), tooLate]);
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      done.abort();
      tooLate.catch(() => undefined);
    }
  }

  /** Resolves once every replica has them, with where they lie. */
  async send(messages: Message[]): Promise<RecordMetadata[]> {
    const producer = await (this.producer ??= this.connect());
    return producer.send({ topic: this.settings.topic, acks: acksOfAll, messages });
  }

  async close(): Promise<void> {
    const producer = this.producer;
    this.producer = null;
    await producer?.then((connected) => connected.disconnect()).catch(() => undefined);
  }

  private async connect(): Promise<Producer> {
    const kafka = createKafka(this.settings.connection(), this.tools.logger);
    const producer = kafka.producer({
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
      retry: { retries: producerRetriesMax },
    });
    await producer.connect();
    return producer;
  }
}
