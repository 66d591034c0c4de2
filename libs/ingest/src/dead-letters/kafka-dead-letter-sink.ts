import kafkajs from 'kafkajs';
import type { Message, Producer } from 'kafkajs';

import type { DeadLetter } from '#intents';
import type { Clock, Logger } from '#platform';

import type { KafkaConnection } from '../source/kafka/kafka-connection.js';
import { createKafka } from '../source/kafka/kafka-connection.js';
import type { DeadLetterSink } from './dead-letter-sink.js';
import type { DeadLetterValue } from './to-dead-letter-message.js';
import { toDeadLetterMessage } from './to-dead-letter-message.js';

/** One send may take so long, connecting included: a transaction is open meanwhile. */
export const deadLetterSendMsMax = 20_000;
const acksOfAll = -1;
const producerRetriesMax = 2;

export interface KafkaDeadLetterSinkSettings {
  readonly connection: () => KafkaConnection;
  readonly topic: string;
  readonly value: DeadLetterValue;
}

function isTooLarge(error: unknown): boolean {
  return error instanceof kafkajs.KafkaJSProtocolError && error.type === 'MESSAGE_TOO_LARGE';
}

/** Publishes to the dead-letter topic; connects on the first letter and anew after a failure. */
export class KafkaDeadLetterSink implements DeadLetterSink {
  private producer: Promise<Producer> | null = null;

  constructor(
    private readonly settings: KafkaDeadLetterSinkSettings,
    private readonly tools: { readonly clock: Clock; readonly logger: Logger },
  ) {}

  async send(letters: readonly DeadLetter[]): Promise<void> {
    const done = new AbortController();
    const tooLate = this.tools.clock.sleep(deadLetterSendMsMax, done.signal).then(() => {
      throw new Error('the broker did not acknowledge the dead letters in time');
    });
    try {
      await Promise.race([this.sendAll(letters), tooLate]);
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      done.abort();
      tooLate.catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    const producer = this.producer;
    this.producer = null;
    await producer?.then((connected) => connected.disconnect()).catch(() => undefined);
  }

  private async sendAll(letters: readonly DeadLetter[]): Promise<void> {
    const { value } = this.settings;
    try {
      await this.produce(letters.map((letter) => toDeadLetterMessage(letter, value)));
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      // The topic takes less than brokers do by default: one by one, and without its value what is too large alone.
      for (const letter of letters) await this.sendAlone(letter);
    }
  }

  private async sendAlone(letter: DeadLetter): Promise<void> {
    try {
      await this.produce([toDeadLetterMessage(letter, this.settings.value)]);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      await this.produce([toDeadLetterMessage(letter, 'truncated')]);
    }
  }

  private async produce(messages: Message[]): Promise<void> {
    const producer = await (this.producer ??= this.connect());
    await producer.send({ topic: this.settings.topic, acks: acksOfAll, messages });
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
