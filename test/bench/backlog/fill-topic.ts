import type { TestBroker } from '#test-support';
import { kafkaClient } from '#test-support';

import type { BacklogSize } from './fill-store.js';
import { eventHeaders, memberId, purchaseEvent } from './purchase-event.js';

const recordsPerSend = 1_000;

/** How a record tells of a purchase. */
export interface Told {
  readonly value: (member: number, rank: number) => Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** As an event of ours. */
const asEvent: Told = { value: purchaseEvent, headers: eventHeaders };

/** Writes the purchases; ranks begin at 2: each member has one intent already. */
export const fillTopic = async (
  broker: Pick<TestBroker, 'brokers'>,
  topic: string,
  { told = asEvent, ...size }: BacklogSize & { readonly told?: Told },
): Promise<void> => {
  const total = size.members * size.intentsPerMember;
  const producer = kafkaClient(broker).producer();
  await producer.connect();
  for (let from = 0; from < total; from += recordsPerSend) {
    const numbers = Array.from({ length: Math.min(recordsPerSend, total - from) }, (_, index) => from + index);
    const messages = numbers.map((number) => ({
      key: memberId(number % size.members),
      value: told.value(number % size.members, Math.floor(number / size.members) + 2),
      headers: { ...told.headers },
    }));
    await producer.send({ topic, messages });
  }
  await producer.disconnect();
};
