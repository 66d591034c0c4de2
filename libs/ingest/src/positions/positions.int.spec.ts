import { createTopics, describeWithRealKafka, kafkaClient, testBroker, testDatabase, testTopics } from '#test-support';

import { withAdmin } from '../source/kafka/kafka-facts.js';
import { purchase } from '../testing/cloud-event.js';
import { IngestRig } from '../testing/ingest-rig.js';
import { until } from '../testing/until.js';

const broker = await testBroker();
const kafka = kafkaClient(broker);

describe('where a partition goes on', () => {
  let topics: ReturnType<typeof testTopics>;
  let rig: IngestRig;
  let dispose: () => Promise<void>;

  beforeEach(async () => {
    topics = testTopics();
    const database = await testDatabase();
    dispose = () => database.dispose();
    await createTopics(broker, [topics.members, topics.purchases, topics.rewards], 1);
    const { groupId } = topics;
    rig = await IngestRig.open({ kafka, brokers: broker.brokers, databaseUrl: database.url, topics, groupId });
  });

  afterEach(async () => {
    await rig.close();
    await dispose();
  });

  function sell(from: number, to: number): Promise<void> {
    const numbers = Array.from({ length: to - from }, (_, index) => from + index);
    return rig.send(topics.purchases, ...numbers.map((number) => purchase(`${number}`, 'm_1')));
  }

  const sold = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, index) => `p-${from + index}`);

  async function commitToKafka(offset: number): Promise<void> {
    const partitions = [{ partition: 0, offset: String(offset) }];
    await withAdmin(kafka, (admin) =>
      admin.setOffsets({ groupId: topics.groupId, topic: topics.purchases, partitions }),
    );
  }

  it.each([
    ['behind: a crash between commit and acknowledgement', 0],
    ['ahead: records would be skipped', 9],
  ])('is the stored offset, whatever Kafka says (%s)', async (_what, committed) => {
    await sell(0, 5);
    await rig.start();
    await rig.hasCounted('recorded', 5);
    await rig.stopAll();
    await sell(5, 10);
    await commitToKafka(committed);
    await rig.start();
    await rig.hasCounted('recorded', 10);
    expect(await rig.purchaseIds()).toEqual(sold(0, 10));
  });

  it('tells Kafka how far it came', async () => {
    await sell(0, 5);
    await rig.start();
    await until(async () => {
      const request = { groupId: topics.groupId, topics: [topics.purchases] };
      const [offsets] = await withAdmin(kafka, (admin) => admin.fetchOffsets(request));
      return offsets?.partitions[0]?.offset === '5';
    });
  });

  it('is at first the end with `latest`, but the beginning for partitions added later', async () => {
    await sell(0, 5);
    await rig.start({ startFrom: { kind: 'latest' } });
    await until(async () => (await rig.countOf('kafka_offset')) === 3);
    await sell(5, 7);
    await rig.hasCounted('recorded', 2);
    expect(await rig.purchaseIds()).toEqual(sold(5, 7));
    await rig.stopAll();
    await withAdmin(kafka, (admin) =>
      admin.createPartitions({ topicPartitions: [{ topic: topics.purchases, count: 2 }] }),
    );
    await rig.sendAnew(topics.purchases, { ...purchase('new', 'm_2'), partition: 1 });
    await rig.start({ startFrom: { kind: 'latest' } });
    await rig.hasCounted('recorded', 3);
  });

  it('is at first the given time', async () => {
    const at = (timeMs: number, id: string) => ({ ...purchase(id, 'm_1'), timestamp: String(timeMs) });
    const noon = Date.UTC(2026, 10, 20, 12);
    await rig.send(topics.purchases, at(noon - 1, 'before'), at(noon, 'noon'), at(noon + 1, 'after'));
    await rig.start({ startFrom: { kind: 'time', timeMs: noon } });
    await rig.hasCounted('recorded', 2);
    expect(await rig.purchaseIds()).toEqual(['p-noon', 'p-after']);
  });

  it('waits for topics that do not exist yet', async () => {
    const later = `${topics.rewards}.later`;
    await rig.start({ topics: { members: topics.members, purchases: topics.purchases, rewards: later } });
    await sell(0, 1);
    await rig.hasCounted('recorded', 1);
    await createTopics(broker, [later], 1);
    await rig.send(later, purchase('late', 'm_9'));
    await rig.hasCounted('recorded', 2);
  });
});

describeWithRealKafka(broker, 'a topic that changed behind our back', () => {
  let topics: ReturnType<typeof testTopics>;
  let rig: IngestRig;
  let dispose: () => Promise<void>;

  beforeEach(async () => {
    topics = testTopics();
    const database = await testDatabase();
    dispose = () => database.dispose();
    await createTopics(broker, [topics.members, topics.purchases, topics.rewards], 1);
    const { groupId } = topics;
    rig = await IngestRig.open({ kafka, brokers: broker.brokers, databaseUrl: database.url, topics, groupId });
    await rig.send(topics.purchases, ...['0', '1', '2'].map((id) => purchase(id, 'm_1')));
    await rig.start();
    await rig.hasCounted('recorded', 3);
    await rig.stopAll();
  });

  afterEach(async () => {
    await rig.close();
    await dispose();
  });

  it('stops at a gap until it is accepted; other topics go on', async () => {
    await rig.send(topics.purchases, ...['3', '4', '5'].map((id) => purchase(id, 'm_1')));
    const partitions = [{ partition: 0, offset: '5' }];
    await withAdmin(kafka, async (admin) => {
      // KafkaJS deletes records only of topics whose metadata it happens to hold.
      await admin.fetchTopicOffsets(topics.purchases);
      await admin.deleteTopicRecords({ topic: topics.purchases, partitions });
    });
    await rig.start();
    await rig.hasCounted('gap', 1);
    await rig.send(topics.members, purchase('elsewhere', 'm_2'));
    await rig.hasCounted('recorded', 4);
    expect(await rig.purchaseIds()).not.toContain('p-5');
    await rig.rows('UPDATE kafka_offset SET next_offset = 5 WHERE topic = $1', topics.purchases);
    await rig.hasCounted('recorded', 5);
    expect(await rig.purchaseIds()).toContain('p-5');
    expect(rig.counted.counts.get('gap')).toBe(1);
  });

  it('begins anew when the topic was created anew', async () => {
    await withAdmin(kafka, (admin) => admin.deleteTopics({ topics: [topics.purchases] }));
    await until(() =>
      createTopics(broker, [topics.purchases], 1).then(
        () => true,
        () => false,
      ),
    );
    await until(() =>
      rig.send(topics.purchases, purchase('anew', 'm_1')).then(
        () => true,
        () => false,
      ),
    );
    await rig.start();
    await rig.hasCounted('recorded', 4);
    const rows = await rig.rows<{ incarnation: number; next: string }>(
      'SELECT incarnation, next_offset::text AS next FROM kafka_offset WHERE topic = $1 ORDER BY incarnation',
      topics.purchases,
    );
    expect(rows).toEqual([
      { incarnation: 1, next: '3' },
      { incarnation: 2, next: '1' },
    ]);
  });
});
