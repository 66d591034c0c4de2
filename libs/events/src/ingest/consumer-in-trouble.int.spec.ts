import type { TestDatabase } from '#test-support';
import {
  createTopics,
  describeWithRealKafka,
  kafkaClient,
  queryOnce,
  testBroker,
  testDatabase,
  testTopics,
  throughProxy,
} from '#test-support';

import type { OutgoingRecord } from '#kafka';
import { brokerLine, partitionsConcurrentMax, TcpProxy } from '#kafka/testing';
import { purchase } from './testing/events.js';
import type { IngestFixture } from './testing/ingest-fixture.js';
import { IngestHarness } from './testing/ingest-harness.js';
import { recordingLogger, until } from './testing/fakes.js';

const broker = await testBroker();
const kafka = kafkaClient(broker);

describe('a consumer in trouble', () => {
  const partitions = 6;
  let topics: ReturnType<typeof testTopics>;
  let harness: IngestHarness;
  let databaseUrl: string;
  let database: TestDatabase;

  beforeEach(async () => {
    topics = testTopics();
    database = await testDatabase();
    databaseUrl = database.url;
    await createTopics(broker, [topics.members, topics.rewards], 1);
    await createTopics(broker, [topics.purchases], partitions);
    harness = await IngestHarness.open({
      kafka,
      brokers: broker.brokers,
      databaseUrl,
      topics,
      groupId: topics.groupId,
    });
  });

  afterEach(async () => {
    await harness.close();
    await database.dispose();
  });

  const members = 40;
  const sale = (number: number): OutgoingRecord => purchase(`${number}`, `m_${number % members}`);

  function sell(from: number, to: number): Promise<void> {
    return harness.send(topics.purchases, ...Array.from({ length: to - from }, (_, index) => sale(from + index)));
  }

  /** Everything sold is there once, and each member's purchases lie in the order they were made. */
  async function expectAllOnceInOrder(count: number): Promise<void> {
    const rows = await harness.rows<{ member_id: string; purchase_id: string }>(
      'SELECT m.member_id, i.purchase_id FROM intent i JOIN member m USING (lane_id) ORDER BY m.member_id, i.seq',
    );
    const numbers = (member: number): string[] =>
      rows.filter((row) => row.member_id === `m_${member}`).map((row) => row.purchase_id);
    expect(rows).toHaveLength(count);
    for (let member = 0; member < members; member += 1) {
      const expected = Array.from(
        { length: Math.ceil((count - member) / members) },
        (_, at) => `p-${member + at * members}`,
      );
      expect(numbers(member)).toEqual(expected);
    }
  }

  it('outlives an outage of Postgres without losing its membership or a record', async () => {
    const target = new URL(databaseUrl);
    const proxy = await TcpProxy.open({ host: target.hostname, port: Number(target.port) });
    const { logger, lines } = recordingLogger();
    const fixture = await harness.start({}, { databaseUrl: throughProxy(databaseUrl, proxy), settings: { logger } });
    await sell(0, 100);
    await harness.hasCounted('recorded', 100);
    proxy.cut();
    await sell(100, 300);
    await until(() => lines.some(({ message }) => message === 'a chunk could not be recorded'));
    const { batcher } = fixture.ingest;
    expect(batcher.batchesInHand).toBeLessThanOrEqual(partitionsConcurrentMax);
    const before = fixture.ingest.lastProgressAt();
    await until(() => fixture.ingest.lastProgressAt() > before + 5_000, 30_000);
    expect(batcher.batchesInHand).toBeGreaterThan(0);
    proxy.heal();
    await harness.hasCounted('recorded', 300);
    await expectAllOnceInOrder(300);
    await until(() => batcher.batchesInHand === 0);
    expect(lines.filter(({ message }) => message.includes('has joined the group'))).toHaveLength(1);
    await harness.stopAll();
    await proxy.close();
  });

  it('regression: a replica that dies without a word holds up the others for its session of ten seconds, not longer', async () => {
    const line = await brokerLine(broker.brokers);
    await harness.start({ connection: line.connection });
    await sell(0, 100);
    await harness.hasCounted('recorded', 100);
    line.proxy.cut();
    await harness.start();
    await sell(100, 300);
    await harness.hasCounted('recorded', 300, 25_000);
    await expectAllOnceInOrder(300);
    line.proxy.heal();
    await harness.stopAll();
    await line.proxy.close();
  });

  it('outlives an outage of its broker that lasts until KafkaJS gives up', async () => {
    const line = await brokerLine(broker.brokers);
    const { logger, lines } = recordingLogger();
    await harness.start({ connection: line.connection }, { settings: { logger } });
    await sell(0, 100);
    await harness.hasCounted('recorded', 100);
    line.proxy.cut();
    await sell(100, 300);
    const ends = (): number => lines.filter(({ message }) => message.startsWith('the Kafka consumer')).length;
    // The first consumer gave up, and the one after it could not even begin.
    await until(() => ends() >= 2, 90_000);
    line.proxy.heal();
    await harness.hasCounted('recorded', 300, 90_000);
    await expectAllOnceInOrder(300);
    await harness.stopAll();
    await line.proxy.close();
  });

  it('sets aside the one record that the database refuses', async () => {
    await queryOnce(
      database.ownerUrl,
      `
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'poison' USING ERRCODE = 'check_violation'; END $$;
      CREATE TRIGGER poison BEFORE INSERT ON intent FOR EACH ROW WHEN (NEW.purchase_id = 'p-77')
      EXECUTE FUNCTION refuse()`,
    );
    await sell(0, 200);
    await harness.start();
    await harness.hasCounted('recorded', 199);
    const rows = await harness.rows('SELECT reason, detail FROM quarantine');
    expect(rows).toEqual([{ reason: 'invalid', detail: 'record: insert_intents failed (23514)' }]);
  });

  describeWithRealKafka(broker, 'in a group', () => {
    /** One more replica, once it has its share of the partitions. */
    async function join(): Promise<IngestFixture> {
      const { logger, lines } = recordingLogger();
      const replica = await harness.start({}, { settings: { logger } });
      await until(() => lines.some(({ message }) => message.startsWith('partition placed')), 60_000);
      return replica;
    }

    it('loses and duplicates nothing while replicas come and go', async () => {
      const rounds = 9;
      const perRound = 200;
      const replicas = [await join()];
      for (let round = 0; round < rounds; round += 1) {
        const sold = sell(round * perRound, (round + 1) * perRound);
        if (round % 2 === 0) replicas.push(await join());
        else await harness.stop(replicas.shift()!);
        await sold;
      }
      await harness.hasCounted('recorded', rounds * perRound, 60_000);
      await expectAllOnceInOrder(rounds * perRound);
    });

    it('is not held up by a replica that is stopped while it joins', async () => {
      await join();
      const { logger, lines } = recordingLogger();
      const joining = await harness.start({}, { settings: { logger } });
      // It has to wait for the first one, which hears of it with its next heartbeat.
      await until(() => lines.some(({ message }) => message === 'kafka: Starting'));
      await harness.stop(joining);
      await sell(0, 60);
      await harness.hasCounted('recorded', 60, 60_000);
    });
  });
});
