import { createTopics, kafkaClient, testBroker, type TestBroker } from '#test-support';
import type { BacklogSize } from '../backlog/fill-store.js';
import { eventHeaders, memberId, purchaseEvent } from '../backlog/purchase-event.js';

const recordsPerSend = 1_000;
const partitions = 4;

/** The broker of a run with a topic full of purchases. */
export interface BenchKafka {
  readonly broker: TestBroker;
  readonly topic: string;
}

const fillTopic = async (broker: TestBroker, topic: string, size: BacklogSize): Promise<void> => {
  const total = size.members * size.intentsPerMember;
  const producer = kafkaClient(broker).producer();
  await producer.connect();
  for (let from = 0; from < total; from += recordsPerSend) {
    const numbers = Array.from({ length: Math.min(recordsPerSend, total - from) }, (_, index) => from + index);
    const messages = numbers.map((number) => ({
      key: memberId(number % size.members),
      value: purchaseEvent(number % size.members, Math.floor(number / size.members) + 2),
      headers: eventHeaders,
    }));
    await producer.send({ topic, messages });
  }
  await producer.disconnect();
};

/** Picks the broker as the tests do and writes the events; ranks begin at 2: each member has one intent already. */
export const startBenchKafka = async (size: BacklogSize): Promise<BenchKafka> => {
  const broker = await testBroker();
  const topic = `loyalty.bench.${process.pid}.${Date.now()}`;
  await createTopics(broker, [topic, `${topic}.members`, `${topic}.rewards`], partitions);
  await fillTopic(broker, topic, size);
  return { broker, topic };
};
