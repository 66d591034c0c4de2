import type { Message } from 'kafkajs';

import type { Outcome } from '#intents';
import type { Clock, Logger } from '#platform';

import { TopicProducer } from '../producing/topic-producer.js';
import type { TopicProducerSettings } from '../producing/topic-producer.js';
import type { OutcomeSink } from './outcome-sink.js';
import { toOutcomeMessage } from './to-outcome-message.js';

/** One send may take so long, connecting included; well below the lease of the reading. */
export const outcomeSendMsMax = 10_000;
/** Brokers take 1 MiB by default, headers and framing included. */
export const outcomeSendBytesMax = 512 * 1024;

type Sized = Message & { readonly value: string };

/** Consecutive messages that go together: as many as fit, but at least one. */
export function portions(messages: readonly Sized[], bytesMax: number): Sized[][] {
  const all: Sized[][] = [];
  let bytes = Infinity;
  for (const message of messages) {
    const size = Buffer.byteLength(message.value);
    if (bytes + size > bytesMax) {
      all.push([]);
      bytes = 0;
    }
    bytes += size;
    all.at(-1)?.push(message);
  }
  return all;
}

/** Publishes to the outcomes topic, in order. */
export class KafkaOutcomeSink implements OutcomeSink {
  private readonly producer: TopicProducer;

  constructor(
    settings: Omit<TopicProducerSettings, 'timeMsMax'>,
    tools: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.producer = new TopicProducer({ ...settings, timeMsMax: outcomeSendMsMax }, tools);
  }

  async send(outcomes: readonly Outcome[]): Promise<void> {
    const messages = outcomes.map(toOutcomeMessage);
    await this.producer.withinTime(async () => {
      for (const portion of portions(messages, outcomeSendBytesMax)) await this.producer.send(portion);
    });
  }

  close(): Promise<void> {
    return this.producer.close();
  }
}
