import { createTopics, describeWithRealKafka, kafkaClient, testBroker, testDatabase, testTopics } from '#test-support';
import { withClient } from './database/admin.js';

const count = (url: string): Promise<number> =>
  withClient(url, async (client) => (await client.query('SELECT FROM kept')).rowCount ?? 0);

describe('test databases', () => {
  it('do not see each other', async () => {
    const [one, other] = await Promise.all([testDatabase({ migrate: false }), testDatabase({ migrate: false })]);
    try {
      for (const { url } of [one, other]) await withClient(url, (client) => client.query('CREATE TABLE kept (id int)'));
      await withClient(one.url, (client) => client.query('INSERT INTO kept VALUES (1)'));

      expect([await count(one.url), await count(other.url)]).toEqual([1, 0]);
    } finally {
      await Promise.all([one.dispose(), other.dispose()]);
    }
    await expect(count(one.url)).rejects.toThrow('does not exist');
  });

  it('have the current schema', async () => {
    const database = await testDatabase();
    try {
      const { rows } = await withClient(database.url, (client) =>
        client.query("SELECT to_regclass('intent') AS found"),
      );
      expect(rows).toEqual([{ found: 'intent' }]);
    } finally {
      await database.dispose();
    }
  });
});

const broker = await testBroker();

describe('the test broker', () => {
  it('gives back what was produced', async () => {
    const { purchases, groupId } = testTopics();
    await createTopics(broker, [purchases]);
    const kafka = kafkaClient(broker);
    const producer = kafka.producer();
    const consumer = kafka.consumer({ groupId });
    await Promise.all([producer.connect(), consumer.connect()]);
    try {
      await producer.send({ topic: purchases, messages: [{ key: 'm_1', value: 'bought', headers: { ce_id: '1' } }] });
      await consumer.subscribe({ topics: [purchases], fromBeginning: true });
      const received = await new Promise((resolve) => {
        void consumer.run({
          eachMessage: async ({ message }) =>
            resolve([message.key?.toString(), message.value?.toString(), message.headers?.['ce_id']?.toString()]),
        });
      });
      expect(received).toEqual(['m_1', 'bought', '1']);
    } finally {
      await Promise.all([producer.disconnect(), consumer.disconnect()]);
    }
  });
});

describeWithRealKafka(broker, 'a real Kafka', () => {
  it('creates topics with the partitions asked for', async () => {
    const { members } = testTopics();
    await createTopics(broker, [members], 7);
    const admin = kafkaClient(broker).admin();
    await admin.connect();
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [members] });
      expect(topics[0]?.partitions).toHaveLength(7);
    } finally {
      await admin.disconnect();
    }
  });
});
