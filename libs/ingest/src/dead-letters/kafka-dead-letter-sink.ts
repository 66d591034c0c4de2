import type { DeadLetter } from '#intents';
import type { Clock, Logger } from '#platform';

import { isTooLarge, TopicProducer } from '../producing/topic-producer.js';
import type { TopicProducerSettings } from '../producing/topic-producer.js';
import type { DeadLetterSink } from './dead-letter-sink.js';
import type { DeadLetterValue } from './to-dead-letter-message.js';
import { toDeadLetterMessage } from './to-dead-letter-message.js';

/** One send may take so long, connecting included: a transaction is open meanwhile. */
export const deadLetterSendMsMax = 20_000;

export interface KafkaDeadLetterSinkSettings extends Omit<TopicProducerSettings, 'timeMsMax'> {
  readonly value: DeadLetterValue;
}

/** Publishes to the dead-letter topic. */
export class KafkaDeadLetterSink implements DeadLetterSink {
  private readonly producer: TopicProducer;

  constructor(
    private readonly settings: KafkaDeadLetterSinkSettings,
    tools: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.producer = new TopicProducer({ ...settings, timeMsMax: deadLetterSendMsMax }, tools);
  }

  async send(letters: readonly DeadLetter[]): Promise<void> {
    await this.producer.withinTime(() => this.sendAll(letters));
  }

  close(): Promise<void> {
    return this.producer.close();
  }

  private async sendAll(letters: readonly DeadLetter[]): Promise<void> {
    const { value } = this.settings;
    try {
      await this.producer.send(letters.map((letter) => toDeadLetterMessage(letter, value)));
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      // The topic takes less than brokers do by default: one by one, and without its value what is too large alone.
      for (const letter of letters) await this.sendAlone(letter);
    }
  }

  private async sendAlone(letter: DeadLetter): Promise<void> {
    try {
      await this.producer.send([toDeadLetterMessage(letter, this.settings.value)]);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      await this.producer.send([toDeadLetterMessage(letter, 'truncated')]);
    }
  }
}
