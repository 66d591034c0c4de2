import { waitUntil } from '#embedded';
import { kafkaClient } from '#test-support';

import type { House } from './house.js';

/** Where the records of the dead-letter topic lay, `topic/partition@offset`, once there are at least so many. */
export async function readDeadLetters({ broker, topics }: House, countMin: number): Promise<string[]> {
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
