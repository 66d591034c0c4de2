import { setTimeout as sleep } from 'node:timers/promises';

import { createTopics, deleteTopics, describeWithRealKafka, kafkaClient, testBroker, testTopics } from '#test-support';

import { readKafka } from '../kafka-words.js';
import { collected } from '../testing/fixtures.js';
import { readTopic } from './read-topic.js';

const broker = await testBroker();
const topics = testTopics();
/** More than are worked on at once. */
const partitions = 8;
const kafka = readKafka({ env: topics.environment, brokers: broker.brokers, isDryRun: false });

describe('the records of a topic, for lint', () => {
  const client = kafkaClient(broker);
  const producer = client.producer();
  const admin = client.admin();

  beforeAll(async () => {
    await createTopics(broker, topics.all, partitions);
    await Promise.all([producer.connect(), admin.connect()]);
  });

  afterAll(async () => {
    await Promise.all([producer.disconnect(), admin.disconnect()]);
    await deleteTopics(broker, topics.all);
  });

  const everyPartition = Array.from({ length: partitions }, (_, partition) => partition);

  it('all come, in the order of each partition, however slowly they are judged', async () => {
    const { purchases: topic } = topics;
    const [batches, each] = [6, 20];
    // Each is a record batch of its own, and more than a fetch brings of one partition.
    const value = Buffer.alloc(20_000, 'x');
    for (let batch = 0; batch < batches; batch += 1) {
      const messages = everyPartition.flatMap((partition) =>
        Array.from({ length: each }, () => ({ partition, value })),
      );
      await producer.send({ topic, messages });
    }
    const offsets = new Map<number, number[]>();
    for await (const { partition, offset } of readTopic({ kafka, topic, last: batches * each })) {
      offsets.set(partition, [...(offsets.get(partition) ?? []), offset]);
      if (offset % each === 0) await sleep(20);
    }
    const all = Array.from({ length: batches * each }, (_, offset) => offset);
    expect(new Map([...offsets].sort(([one], [other]) => one - other))).toEqual(
      new Map(everyPartition.map((partition) => [partition, all])),
    );
  });

  it('leave nothing behind: no offset, and no group', async () => {
    const { rewards: topic } = topics;
    await producer.send({ topic, messages: [{ partition: 3, value: 'x' }] });
    expect(await collected(readTopic({ kafka, topic, last: 5 }))).toMatchObject([{ partition: 3, offset: 0 }]);
    const { groups } = await admin.listGroups();
    expect(groups.filter(({ groupId }) => groupId.startsWith(topics.groupId))).toEqual([]);
  });

  describeWithRealKafka(broker, 'of a real broker', () => {
    it('end before a transaction that is still open, as they do for a daemon', async () => {
      const { members: topic } = topics;
      const till = client.producer({ idempotent: true, maxInFlightRequests: 1, transactionalId: `${topic}-till` });
      await till.connect();
      await producer.send({ topic, messages: [{ partition: 0, value: 'a' }] });
      const transaction = await till.transaction();
      try {
        await transaction.send({ topic, messages: [{ partition: 0, value: 'b' }] });
        await producer.send({ topic, messages: [{ partition: 0, value: 'c' }] });
        expect(await collected(readTopic({ kafka, topic, last: 5 }))).toMatchObject([{ partition: 0, offset: 0 }]);
      } finally {
        await transaction.abort();
        await till.disconnect();
      }
    });
  });
});
