import type { Message } from 'kafkajs';

import { waitUntil } from '#embedded';
import { kafkaClient } from '#test-support';

import type { House } from './house.js';

interface DeadLetter {
  readonly topic: string;
  readonly message: Message;
}

async function readAll({ broker, topics }: House, count: number): Promise<DeadLetter[]> {
  const consumer = kafkaClient(broker).consumer({ groupId: `${topics.deadLetter}.copier`, maxWaitTimeInMs: 100 });
  const letters: DeadLetter[] = [];
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [topics.deadLetter], fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ message: { key, value, headers = {} } }) => {
        letters.push({ topic: String(headers['x-original-topic']), message: { key, value, headers } });
      },
    });
    await waitUntil(() => letters.length >= count || undefined, { what: 'the dead letters', timeoutMs: 30_000 });
    return letters;
  } finally {
    await consumer.disconnect();
  }
}

/** Copies so many dead letters back into the topics that they came from, as they are, as people do with a tool of theirs. */
export async function copyDeadLettersBack(house: House, count: number): Promise<void> {
  const letters = await readAll(house, count);
  const producer = kafkaClient(house.broker).producer();
  await producer.connect();
  try {
    for (const { topic, message } of letters) await producer.send({ topic, messages: [message] });
  } finally {
    await producer.disconnect();
  }
}
