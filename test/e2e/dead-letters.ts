import type { Message } from 'kafkajs';

import { waitUntil } from '#embedded';
import { kafkaClient } from '#test-support';

import type { Harness } from './harness.js';

/** Where the records of the dead-letter topic lay, `topic/partition@offset`, once there are at least so many. */
export async function readDeadLetters({ broker, topics }: Harness, countMin: number): Promise<string[]> {
  const consumer = kafkaClient(broker).consumer({ groupId: `${topics.deadLetter}.reader`, maxWaitTimeInMs: 100 });
  const places: string[] = [];
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [topics.deadLetter], fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ message: { headers } }) => {
        const [topic, partition, offset] = ['topic', 'partition', 'offset'].map((name) =>
          String(headers?.[`x-original-${name}`]),
        );
        places.push(`${topic}/${partition}@${offset}`);
      },
    });
    await waitUntil(() => places.length >= countMin || undefined, { what: 'dead letters', timeoutMs: 30_000 });
    return places;
  } finally {
    await consumer.disconnect();
  }
}

interface DeadLetter {
  readonly topic: string;
  readonly message: Message;
}

async function readAll({ broker, topics }: Harness, count: number): Promise<DeadLetter[]> {
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
export async function copyDeadLettersBack(harness: Harness, count: number): Promise<void> {
  const letters = await readAll(harness, count);
  const producer = kafkaClient(harness.broker).producer();
  await producer.connect();
  try {
    for (const { topic, message } of letters) await producer.send({ topic, messages: [message] });
  } finally {
    await producer.disconnect();
  }
}
