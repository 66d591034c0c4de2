import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { RunningProcess } from '#test-support';
import {
  describeUnless,
  describeWithRealKafka,
  kafkaClient,
  queryOnce,
  StandInRegistry,
  testBroker,
} from '#test-support';

import { type Harness, openHarness, programsFile } from '../e2e/harness.js';
import { awaitEffects, readLedger } from '../e2e/partner.js';
import { pythonMissing, runPython } from './python.js';

const broker = await testBroker();
const run = `python-${process.pid}`;
/** What a topic of a codec takes; each record carries 200 KB before it is compressed. */
const topicBytesMax = 60_000;

/** Each format with a codec of its own. */
const ways = {
  avro: { format: 'avro', codec: 'lz4', total: '$minor(total.amount, "EUR")', at: '$time(placedAt)', number: 'number' },
  protobuf: {
    ...{ format: 'protobuf', codec: 'snappy', total: '$ofMinor(total.minor, "EUR").minor', at: 'placed_at' },
    ...{ number: 'order_id', member: 'card' },
  },
  'json-schema': { format: 'json-schema', codec: 'gzip', total: '$minor(total, "EUR")', at: 'at', number: 'number' },
  json: { format: 'json', codec: 'zstd', total: '$minor(total, "EUR")', at: 'at', number: 'number' },
} as const;

const topicOf = (name: string): string => `${run}.${name}`;

const mapOf = ({
  number,
  total,
  at,
  member = 'member',
}: {
  number: string;
  total: string;
  at: string;
  member?: string;
}) =>
  `{ "id": ${number}, "source": "/shop/python", "type": "loyalty.purchase.completed.v1", "time": ${at},
     "data": { "program": "coffee-club", "memberId": ${member}, "purchaseId": ${number}, "storeId": "web",
       "total": { "minor": ${total}, "currency": "EUR" } } }`;

const sale = { types: ['loyalty.purchase.completed.v1'], programs: ['coffee-club'] };
const url = 'https://door.example.org/api/v1/hooks/by-square';
const schemes = {
  shopify: { scheme: 'shopify' },
  square: { scheme: 'square', url },
  stripe: { scheme: 'stripe' },
  hmac: { scheme: 'hmac', header: 'x-signature', encoding: 'hex', prefix: 'sha256=' },
} as const;
type Scheme = keyof typeof schemes;
const schemeNames = Object.keys(schemes) as Scheme[];
const secretOf = (scheme: Scheme): string => `whsec-${scheme}-9f2c7be1a4d8356071c5e2`;

function sourcesIn(folder: string): string {
  const ofWays = Object.entries(ways).map(([name, { format, ...fields }]) => [
    `of-${name}`,
    { topics: [topicOf(name)], format, map: mapOf(fields), ...sale },
  ]);
  const ofHooks = schemeNames.map((scheme) => [
    `by-${scheme}`,
    {
      ...{ topics: [topicOf(scheme)], format: 'json', map: mapOf(ways.json), key: 'member', ...sale },
      hook: { ...schemes[scheme], secretFiles: [join(folder, scheme)] },
    },
  ]);
  return `sources: ${JSON.stringify(Object.fromEntries([...ofWays, ...ofHooks]))}\n`;
}

/** What each member's card must show, in its order: amounts and numbers as they were put in. */
const expected = {
  avro: ['avro-11.10 11.1', 'avro-12.10 12.1', 'avro-13.10 13.1', 'avro-14.10 14.1'],
  protobuf: [1, 2, 3, 4].map((number) => `${2n ** 53n + BigInt(number)} ${(10.1 + number).toFixed(1)}`),
  'json-schema': [1, 2, 3, 4].map((number) => `json-schema-${number} ${(10.1 + number).toFixed(1)}`),
  json: [0, 2, 4].flatMap((number) => [`json-${number}-1 10.1`, `json-${number}-2 10.1`]),
  events: ['structured 10.1', 'binary 10.1', 'by-hand 10.1'],
};
const members = [...Object.keys(expected), 'hooks'];
const effects = members.length + Object.values(expected).flat().length + schemeNames.length;

describeUnless(pythonMissing, 'a shop in Python', () => {
  describeWithRealKafka(broker, 'with its own client, serializers and signatures', () => {
    let folder: string;
    let registry: StandInRegistry;
    let harness: Harness;
    let door: RunningProcess;
    let said: unknown;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'loyaltyd-secrets-'));
      for (const scheme of schemeNames) await writeFile(join(folder, scheme), secretOf(scheme));
      registry = await StandInRegistry.start();
      harness = await openHarness(programsFile + sourcesIn(folder));
      await createSmallTopics([...Object.keys(ways), ...schemeNames].map(topicOf));
      const environment = { SCHEMA_REGISTRY_URL: registry.url };
      await harness.startDaemon(environment);
      door = await harness.startDaemon({ ...environment, LOYALTYD_ROLES: 'door' });
      const hooks = schemeNames.map((scheme) => [scheme, { source: `by-${scheme}`, secret: secretOf(scheme), url }]);
      said = await runPython('python_shop.py', {
        ...{ brokers: broker.brokers, registry: registry.url, door: String(door.ready['operations']) },
        ...{ topics: harness.topics, members, hooks: Object.fromEntries(hooks) as object },
        ways: Object.fromEntries(
          Object.entries(ways).map(([name, { codec }]) => [name, { topic: topicOf(name), codec }]),
        ),
      });
      await awaitEffects(harness.sandboxUrl, effects);
    });

    afterAll(async () => {
      await harness.close();
      await registry.stop();
      await rm(folder, { recursive: true });
    });

    async function createSmallTopics(topics: readonly string[]): Promise<void> {
      const admin = kafkaClient(broker).admin();
      await admin.connect();
      const configEntries = [{ name: 'max.message.bytes', value: String(topicBytesMax) }];
      await admin.createTopics({ topics: topics.map((topic) => ({ topic, numPartitions: 1, configEntries })) });
      await admin.disconnect();
    }

    /** Numbers and amounts on the card of a member, in their order. */
    const onCardOf = async (member: string): Promise<string[]> =>
      (await readLedger(harness.sandboxUrl))
        .filter(({ operation, uniqueId }) => operation === 'transaction' && uniqueId === member)
        .map(({ key, body }) => `${key} ${(body as { readonly amount: number }).amount}`);

    it.each(Object.entries(expected))(
      'has its sales on the card in their order and to the cent: %s',
      async (member, sales) => {
        expect(await onCardOf(member)).toEqual(sales);
      },
    );

    it('is let in by each of its signatures, and nobody else is; what it sends twice is once', async () => {
      expect(said).toEqual({ answers: schemeNames.flatMap(() => [202, 202, 401]) });
      expect((await onCardOf('hooks')).toSorted()).toEqual(
        schemeNames.map((scheme) => `hook-${scheme} 10.1`).toSorted(),
      );
    });

    it('has nothing set aside, and each schema was asked for once', async () => {
      expect(await queryOnce(harness.database.url, 'SELECT reason, detail FROM quarantine')).toEqual([]);
      const asked = registry.asked.filter(({ method }) => method === 'GET').map(({ path }) => path.split('?')[0]);
      const ofDaemon = asked.filter((path) => path?.startsWith('/schemas/'));
      expect(new Set(ofDaemon).size).toBe(ofDaemon.length);
      expect(ofDaemon.filter((path) => path?.includes('/guids/'))).toHaveLength(2);
    });
  });
});
