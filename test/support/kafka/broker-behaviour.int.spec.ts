import { randomBytes } from 'node:crypto';
import { CompressionTypes, type Consumer, type ConsumerConfig, type IHeaders, type Kafka } from 'kafkajs';
import { startEmbeddedBroker, waitUntil } from '#embedded';
import { createTopics, kafkaClient, testBroker, type TestBroker } from '#test-support';

interface Received {
  readonly partition: number;
  readonly offset: number;
  readonly key: string | undefined;
  readonly value: string | null;
  readonly headers: IHeaders | undefined;
}

const timeoutMs = 60_000;
const embedded = await startEmbeddedBroker();
const implementations: readonly (readonly [string, TestBroker])[] = [
  ['the embedded broker', { brokers: embedded.brokers, version: 'embedded', isReal: true, origin: '' }],
  ['the broker of this test run', await testBroker()],
];

afterAll(() => embedded.stop());

/** One behaviour for what we develop on and what we run on. */
describe.each(implementations)('%s', (_name, broker) => {
  const kafka: Kafka = kafkaClient(broker);
  const admin = kafka.admin();
  const producer = kafka.producer();
  const consumers: Consumer[] = [];
  let topic: string;
  let groupId: string;

  beforeAll(() => Promise.all([admin.connect(), producer.connect()]));
  afterAll(() => Promise.all([admin.disconnect(), producer.disconnect()]));

  beforeEach(async () => {
    topic = `behaviour.${randomBytes(4).toString('hex')}`;
    groupId = `${topic}.group`;
    await createTopics(broker, [topic]);
  });

  afterEach(async () => {
    await Promise.all(consumers.splice(0).map((consumer) => consumer.disconnect()));
  });

  /** A member of the group that collects what it gets and commits it batch by batch. */
  const consume = async (settings: Partial<ConsumerConfig> = {}): Promise<Received[]> => {
    const consumer = kafka.consumer({
      groupId,
      sessionTimeout: 6_000,
      heartbeatInterval: 300,
      maxWaitTimeInMs: 300,
      ...settings,
    });
    consumers.push(consumer);
    const received: Received[] = [];
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch: { partition, messages } }) => {
        for (const { offset, key, value, headers } of messages) {
          const text = value === null ? null : value.toString();
          received.push({ partition, offset: Number(offset), key: key?.toString(), value: text, headers });
        }
        const next = Number(messages.at(-1)?.offset ?? 0) + 1;
        await consumer.commitOffsets([{ topic, partition, offset: `${next}` }]);
      },
    });
    return received;
  };

  const arrival = (received: readonly Received[], count: number): Promise<boolean> =>
    waitUntil(() => received.length >= count, { what: `${count} records in ${topic}`, timeoutMs });

  const disconnectAll = async (): Promise<void> => {
    await Promise.all(consumers.splice(0).map((consumer) => consumer.disconnect()));
  };

  const assignedMembers = async (): Promise<number> =>
    (await admin.describeGroups([groupId])).groups[0]?.members.length ?? 0;

  it('gives a group 10,000 records in order, and the next member only what came later', async () => {
    for (let start = 0; start < 10_000; start += 1_000) {
      const messages = Array.from({ length: 1_000 }, (_, n) => ({
        key: `m${(start + n) % 97}`,
        value: `${start + n}`,
      }));
      await producer.send({ topic, messages });
    }
    const first = await consume();
    await arrival(first, 10_000);
    await disconnectAll();
    await producer.send({ topic, messages: [{ key: 'm_1', value: 'later' }] });
    const second = await consume();
    await arrival(second, 1);

    expect(new Set(first.map(({ value }) => value)).size).toBe(10_000);
    for (const partition of [0, 1, 2, 3]) {
      const offsets = first.filter((each) => each.partition === partition).map(({ offset }) => offset);
      expect(offsets).toEqual(Array.from(offsets, (_, index) => index));
    }
    expect(second.map(({ value }) => value)).toEqual(['later']);
  });

  it('keeps headers, tombstones and compressed values as they are', async () => {
    await producer.send({ topic, messages: [{ key: 'gone', value: null, headers: { ce_id: '1' } }] });
    await producer.send({
      topic,
      messages: [{ key: 'long', value: 'x'.repeat(5_000) }],
      compression: CompressionTypes.GZIP,
    });
    const received = await consume();
    await arrival(received, 2);

    const byKey = new Map(received.map((each) => [each.key, each]));
    expect(byKey.get('gone')?.value).toBeNull();
    expect(byKey.get('gone')?.headers?.['ce_id']?.toString()).toBe('1');
    expect(byKey.get('long')?.value).toHaveLength(5_000);
  });

  it('shares the partitions in a group, and gives all to the one that stays', async () => {
    const one = await consume();
    const other = await consume();
    await waitUntil(async () => (await assignedMembers()) === 2, { what: 'two members', timeoutMs });
    const messages = Array.from({ length: 400 }, (_, n) => ({ key: `${n}`, value: `${n}` }));
    await waitUntil(
      async () => {
        await producer.send({ topic, messages });
        return one.length > 0 && other.length > 0;
      },
      { what: 'both to get something', timeoutMs, intervalMs: 200 },
    );
    await consumers.pop()?.disconnect();
    await waitUntil(async () => (await assignedMembers()) === 1, { what: 'one member', timeoutMs });
    const before = one.length;
    await producer.send({ topic, messages });
    await waitUntil(() => new Set(one.slice(before).map(({ partition }) => partition)).size === 4, {
      what: 'the one that stays to get all partitions',
      timeoutMs,
    });
  });

  it('hands a new record over at once, however long a fetch may wait', async () => {
    // Longer than this test may take.
    const received = await consume({ maxWaitTimeInMs: 300_000 });
    await producer.send({ topic, messages: [{ key: 'first', value: 'first' }] });
    await arrival(received, 1);
    await producer.send({ topic, messages: [{ key: 'first', value: 'second' }] });
    await arrival(received, 2);
    // Whoever leaves waits for the fetch that is under way.
    const left = disconnectAll();
    await producer.send({ topic, messages: [{ key: 'first', value: 'third' }] });
    await left;
  });

  it('administers topics, groups and offsets', async () => {
    const wide = `${topic}.wide`;
    const admitted = { topics: [{ topic: wide, numPartitions: 7 }], waitForLeaders: true };
    expect(await admin.createTopics(admitted)).toBe(true);
    expect(await admin.createTopics(admitted)).toBe(false);
    expect((await admin.fetchTopicMetadata({ topics: [wide] })).topics[0]?.partitions).toHaveLength(7);

    await producer.send({ topic, messages: [{ partition: 2, key: null, value: 'a', timestamp: '1700000000000' }] });
    await producer.send({ topic, messages: [{ partition: 2, key: null, value: 'b', timestamp: '1700000009000' }] });
    const positions = await admin.fetchTopicOffsetsByTimestamp(topic, 1_700_000_001_000);
    expect(positions.find(({ partition }) => partition === 2)?.offset).toBe('1');
    expect((await admin.fetchTopicOffsets(topic)).find(({ partition }) => partition === 2)).toMatchObject({
      low: '0',
      high: '2',
    });

    await admin.setOffsets({ groupId, topic, partitions: [{ partition: 2, offset: '1' }] });
    const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
    expect(committed?.partitions.find(({ partition }) => partition === 2)?.offset).toBe('1');
    expect((await admin.listGroups()).groups.map((group) => group.groupId)).toContain(groupId);
    await admin.deleteGroups([groupId]);
    expect((await admin.listGroups()).groups.map((group) => group.groupId)).not.toContain(groupId);

    await admin.deleteTopics({ topics: [wide] });
    await waitUntil(async () => !(await admin.listTopics()).includes(wide), { what: 'the deletion', timeoutMs });
  });
});
