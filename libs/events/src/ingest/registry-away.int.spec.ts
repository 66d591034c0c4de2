import { parseProgramsFile } from '#contracts';
import { SourceTables } from '#events';
import { type FormatName, openFormat, SchemaRegistry } from '#events/formats';
import { partitionsConcurrentMax } from '#kafka/testing';
import { SystemClock } from '#platform';
import {
  createTopics,
  kafkaClient,
  StandInRegistry,
  testBroker,
  testDatabase,
  type TestDatabase,
  testTopics,
} from '#test-support';

import type { RoutingPrograms } from './loop/prepare-record.js';
import { purchase, testPrograms } from './testing/events.js';
import { recordingLogger, until } from './testing/fakes.js';
import type { IngestFixture } from './testing/ingest-fixture.js';
import { IngestHarness } from './testing/ingest-harness.js';

const broker = await testBroker();
const kafka = kafkaClient(broker);
/** More than are worked on at once, of one broker: those that wait must not be what the others wait for. */
const partitions = partitionsConcurrentMax + 2;
const sales = 20;
/** In a registry that does not answer each request takes so long: far more than the sales of others may. */
const registryTimeoutMs = 20_000;
const otherSalesMsMax = 15_000;

const map = `{
  "id": "o-" & order, "source": "/shop", "type": "loyalty.purchase.completed.v1", "time": "2026-11-21T10:15:04Z",
  "data": { "program": "coffee-club", "memberId": member, "purchaseId": order, "total": { "minor": 1000, "currency": "EUR" } }
}`;
const schema = JSON.stringify({
  ...{ type: 'record', name: 'Order' },
  fields: ['order', 'member'].map((name) => ({ name, type: 'string' })),
});

const avroText = (text: string): Buffer => Buffer.concat([Buffer.from([2 * text.length]), Buffer.from(text)]);

/** An order in Avro behind the id of its schema. */
function order(schemaId: number, partition: number, number: string): { value: Buffer; partition: number } {
  const frame = Buffer.from([0, 0, 0, 0, schemaId]);
  return { value: Buffer.concat([frame, avroText(number), avroText(`m-${partition}`)]), partition };
}

describe('a schema registry that dies while its records come', () => {
  const topics = testTopics();
  const orders = `${topics.purchases}-orders`;
  let database: TestDatabase;
  let harness: IngestHarness;
  let registry: StandInRegistry;
  let ingest: IngestFixture['ingest'];
  let logged: ReturnType<typeof recordingLogger>['lines'];

  beforeAll(async () => {
    await createTopics(broker, topics.all, 1);
    await createTopics(broker, [orders], partitions);
  });

  beforeEach(async () => {
    database = await testDatabase();
    registry = await StandInRegistry.start();
    register(1);
    const options = { kafka, brokers: broker.brokers, databaseUrl: database.url, topics };
    harness = await IngestHarness.open({ ...options, groupId: topics.groupId });
  });

  afterEach(async () => {
    await harness.close();
    await registry.stop();
    await database.dispose();
  });

  const register = (id: number): void => {
    registry.schemas.push({ id, guid: '', subject: `s-${id}`, version: 1, answer: { schema } });
  };

  function programsWithOrders(): RoutingPrograms {
    const { file, hash } = testPrograms();
    const source = { topics: [orders], format: 'avro', map, programs: ['coffee-club'] };
    const sources = { orders: { ...source, types: ['loyalty.purchase.completed.v1'] } };
    const parsed = parseProgramsFile(
      `programs: { coffee-club: { brandId: 1, programId: 1 } }\nsources: ${JSON.stringify(sources)}`,
    );
    if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
    return { file: { ...file, sources: parsed.value.sources ?? {} }, hash };
  }

  async function start(): Promise<void> {
    const { url } = registry;
    const login = { kind: 'none' } as const;
    const settings = { url, login, ca: null, cert: null, key: null, timeoutMs: registryTimeoutMs };
    const asked = new SchemaRegistry(() => settings, new SystemClock());
    const sources = new SourceTables({
      topics: { members: topics.members, purchases: topics.purchases, rewards: topics.rewards },
      written: [],
      openFormat: ({ format }) => openFormat(format as FormatName, asked),
    });
    const programs = programsWithOrders();
    const { logger, lines } = recordingLogger();
    logged = lines;
    const startFrom = { kind: 'latest' } as const;
    ({ ingest } = await harness.start({ startFrom }, { settings: { programs: () => programs, sources, logger } }));
    await until(() => ingest.partitionPositions().length === partitions + 3);
  }

  const everyPartition = (round: number, schemaId: number) =>
    Array.from({ length: partitions }, (_, partition) => order(schemaId, partition, `${round}-${partition}`));

  it.each(['unavailable', 'silent', 'forbidden'] as const)(
    'and is %s holds up its own partitions and no others, sets nothing aside, and goes on where it stood',
    async (mood) => {
      await start();
      await harness.send(orders, ...everyPartition(1, 1));
      await harness.hasCounted('recorded', partitions);
      registry.mood = mood;
      // What is known is read without it; what stands before a record that cannot be read is not held up by it.
      await harness.send(orders, ...everyPartition(2, 1), ...everyPartition(3, 2), ...everyPartition(4, 1));
      await harness.hasCounted('recorded', 2 * partitions);
      await until(() => ingest.waitingPartitions().length === partitions);
      for (let sale = 0; sale < sales; sale += 1) await harness.send(topics.purchases, purchase(`${sale}`, 'ada'));
      await harness.hasCounted('recorded', 2 * partitions + sales, otherSalesMsMax);
      expect(ingest.waitingPartitions().map(({ topic }) => topic)).toEqual(Array(partitions).fill(orders));
      expect(ingest.waitingPartitions().every(({ forMs }) => forMs > 0)).toBe(true);
      expect(ingest.partitionPositions()).toHaveLength(partitions + 3);
      const held = logged.filter(({ message }) => message.startsWith('a partition waits'));
      expect(held).toHaveLength(partitions);
      register(2);
      registry.mood = 'well';
      await harness.hasCounted('recorded', 4 * partitions + sales, 60_000);
      expect(ingest.waitingPartitions()).toEqual([]);
      expect(await harness.countOf('quarantine')).toBe(0);
      const bought = await harness.rows<{ member: string; purchases: string[] }>(
        `SELECT m.member_id AS member, array_agg(i.purchase_id ORDER BY i.seq) AS purchases
         FROM intent i JOIN member m USING (lane_id) WHERE m.member_id <> 'ada' GROUP BY 1 ORDER BY 1`,
      );
      expect(bought).toEqual(
        Array.from({ length: partitions }, (_, partition) => ({
          ...{ member: `m-${partition}`, purchases: [1, 2, 3, 4].map((round) => `${round}-${partition}`) },
        })),
      );
    },
    120_000,
  );
});
