import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

import type { Message } from 'kafkajs';

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

import type { Logger } from '#platform';
import { SystemClock, SystemRandom } from '#platform';

import { KafkaSource, type KafkaConnection, type SourceListener } from '#kafka';
import { brokerLine, fetchSpacingMs, partitionsConcurrentMax, TcpProxy } from '#kafka/testing';
import { purchase } from './testing/events.js';
import type { IngestFixture } from './testing/ingest-fixture.js';
import { IngestHarness } from './testing/ingest-harness.js';
import { recordingLogger, until } from './testing/fakes.js';

const broker = await testBroker();
const kafka = kafkaClient(broker);

/** Notes that it has slept to the end, and for how long it was asked to. */
class PacingClock extends SystemClock {
  readonly order: ('batch' | 'slept')[] = [];
  readonly sleptMs: number[] = [];

  override async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    await super.sleep(delayMs, signal);
    this.sleptMs.push(delayMs);
    this.order.push('slept');
  }
}

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
  const sale = (number: number): Message => purchase(`${number}`, `m_${number % members}`);

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

  /** A source alone, that reads its partitions from their beginning. */
  function readAll(logger: Logger, batch: SourceListener['batch'], clock = new SystemClock()): KafkaSource {
    const connection = (): KafkaConnection => ({ brokers: broker.brokers.split(','), clientId: 'loyaltyd-spec' });
    const { groupId } = topics;
    const decompressedBytesMax = 64 * 1024 * 1024;
    const settings = { connection, groupId, installation: 'spec', topics: [topics.purchases], decompressedBytesMax };
    const source = new KafkaSource(settings, { clock, random: new SystemRandom(), logger });
    source.start({
      assigned: (assigned) => {
        for (const partition of assigned) source.seek(partition, 0);
        for (const partition of assigned) source.resume(partition);
      },
      skipped: () => undefined,
      batch,
    });
    return source;
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
    const { loop } = fixture.ingest;
    expect(loop.batchesInHand).toBeLessThanOrEqual(partitionsConcurrentMax);
    const before = fixture.ingest.lastProgressAt();
    await until(() => fixture.ingest.lastProgressAt() > before + 5_000, 30_000);
    expect(loop.batchesInHand).toBeGreaterThan(0);
    proxy.heal();
    await harness.hasCounted('recorded', 300);
    await expectAllOnceInOrder(300);
    await until(() => loop.batchesInHand === 0);
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

  it('is built anew when it crashed, and gets the batch again', async () => {
    const { logger, lines } = recordingLogger();
    const crashed = (): boolean => lines.some(({ message }) => message.startsWith('the Kafka consumer ended'));
    const seen: number[] = [];
    const source = readAll(logger, async (batch, lease) => {
      if (!crashed()) throw new TypeError('a defect');
      seen.push(...batch.records.map(({ offset }) => offset));
      lease.acknowledge(batch.nextOffset);
    });
    await harness.send(topics.purchases, { ...sale(0), partition: 0 }, { ...sale(1), partition: 0 });
    await until(() => seen.length >= 2, 60_000);
    await source.stop();
    expect(seen).toEqual([0, 1]);
  });

  it('fetches at a measured pace what it is nearly done with, so that what comes meanwhile goes together', async () => {
    const clock = new PacingClock();
    let count = 0;
    const take: SourceListener['batch'] = async (batch, lease) => {
      clock.order.push('batch');
      count += batch.records.length;
      lease.acknowledge(batch.nextOffset);
    };
    const source = readAll(recordingLogger().logger, take, clock);
    const sellOne = (number: number): Promise<void> =>
      harness.send(topics.purchases, { ...sale(number), partition: 0 });
    await sellOne(0);
    await until(() => count === 1, 60_000);
    const tills = Array.from({ length: 8 }, async (_, till) => {
      for (let number = 1; number <= 20; number += 1) await sellOne(till * 20 + number);
    });
    await Promise.all(tills);
    await until(() => count === 161, 60_000);
    await source.stop();
    const batches = clock.order.filter((what) => what === 'batch').length;
    expect(batches).toBeGreaterThan(1);
    // After each of them, whatever it took of that time itself.
    expect(clock.order.slice(0, 2 * batches - 1).join()).toBe(Array(batches).fill('batch').join(',slept,'));
    expect(Math.max(...clock.sleptMs)).toBeLessThanOrEqual(fetchSpacingMs);
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

describe('a consumer that is stopped before it has begun', () => {
  let hung: Server;
  let source: KafkaSource;
  let lines: ReturnType<typeof recordingLogger>['lines'];

  beforeEach(async () => {
    hung = createServer();
    await once(hung.listen(0, '127.0.0.1'), 'listening');
    const { port } = hung.address() as AddressInfo;
    const connection = (): KafkaConnection => ({ brokers: [`127.0.0.1:${port}`], clientId: 'loyaltyd-spec' });
    const settings = { connection, groupId: 'spec', installation: 'spec', topics: ['purchases'] };
    const recording = recordingLogger();
    ({ lines } = recording);
    const tools = { clock: new SystemClock(), random: new SystemRandom(), logger: recording.logger };
    source = new KafkaSource({ ...settings, decompressedBytesMax: 1_024 }, tools);
    source.start({ assigned: () => undefined, skipped: () => undefined, batch: () => Promise.resolve() });
  });

  afterEach(async () => {
    hung.close();
    await once(hung, 'close');
  });

  it('regression: its first question to a broker that never answers is cut off, not waited for', async () => {
    const [accepted] = (await once(hung, 'connection')) as [Socket];
    const closed = once(accepted, 'close');
    await once(accepted, 'data');
    await source.stop();
    await closed;
    // Where KafkaJS waits for an answer it says that none has come, and tries again.
    expect(lines.filter(({ message }) => /timed out/i.test(message))).toEqual([]);
  });
});
