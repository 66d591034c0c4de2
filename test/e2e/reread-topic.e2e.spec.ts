import type { JobLinesPage, JobView } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { createTopics, kafkaClient, queryOnce } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { readLedger } from './partner.js';
import { endLeases } from './store.js';

/** Names of topics are those of the whole run's broker. */
const topic = `reread-${process.pid}.orders`;
const startedAt = Date.now();

/** @param total of an order; @param taken which orders are taken in */
const mapOf = (total: string, taken: string): string => `
[
  channel = "card" ? { "id": "c-" & order, "source": "/shop", "type": "loyalty.member.enrolled.v1", "time": at,
    "data": { "program": "coffee-club", "memberId": card, "person": { "firstName": name } } } : [],
  channel in ${taken} ? { "id": "o-" & order, "source": "/shop", "type": "loyalty.purchase.completed.v1", "time": at,
    "data": { "program": "coffee-club", "memberId": card, "purchaseId": order, "storeId": "web",
      "total": { "minor": $minor(${total}, "EUR"), "currency": "EUR" } } } : []
]`;

const sourceOf = (map: string): string => `
sources:
  web-orders:
    topics: ["${topic}"]
    format: json
    map: ${JSON.stringify(map)}
    types: [loyalty.member.enrolled.v1, loyalty.purchase.completed.v1]
    programs: [coffee-club]
`;

/** Takes nothing in from the app, and the net total of what it takes in from the web. */
const wrong = programsFile + sourceOf(mapOf('net', '["web"]'));
const mended = programsFile + sourceOf(mapOf('gross', '["web", "app"]'));

type Channel = 'card' | 'web' | 'app' | 'broken';

const order = (number: string, channel: Channel, gross: string, net = gross) => ({
  ...{ order: number, channel, card: 'ada', name: 'Ada', at: new Date(startedAt - 60_000).toISOString() },
  ...{ gross, net },
});

const apps = Array.from({ length: 30 }, (_, index) => order(`app-${index}`, 'app', `${index + 1}.00`));
/** Of the web the first was taken in as it should be. */
const day = [
  order('e-1', 'card', '0'),
  order('w-1', 'web', '10.00'),
  order('w-2', 'web', '11.90', '10.00'),
  ...apps,
  { ...order('w-3', 'web', '1.005'), net: '1.005' },
  order('w-4', 'web', '7.00'),
];

describe('a topic that is read again the day after a wrong mapping', () => {
  let harness: Harness;
  let daemon: RunningProcess;
  let operator: ApiClient;

  beforeAll(async () => {
    harness = await openHarness(wrong);
    await createTopics(harness.broker, [topic]);
    await start();
  });

  afterAll(() => harness.close());

  async function start(): Promise<void> {
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    operator = new ApiClient(daemon, 'operator');
  }

  async function sends(orders: readonly object[]): Promise<void> {
    const producer = kafkaClient(harness.broker).producer();
    await producer.connect();
    // Each is a record batch of its own.
    for (const each of orders) {
      await producer.send({ topic, messages: [{ partition: 0, value: JSON.stringify(each) }] });
    }
    await producer.disconnect();
  }

  const sales = async (): Promise<string[]> =>
    (await readLedger(harness.sandboxUrl))
      .filter(({ operation }) => operation === 'transaction')
      .map(({ key, body }) => `${key ?? ''} ${(body as { readonly amount: number }).amount}`);

  async function awaitSales(count: number): Promise<string[]> {
    await waitUntil(async () => (await sales()).length >= count, { what: `${count} sales`, timeoutMs: 120_000 });
    return sales();
  }

  const begin = async (id: string, more: object): Promise<void> => {
    const from = new Date(startedAt - 120_000).toISOString();
    const body = { kind: 'reread-topic', id, topic, from, reason: 'the map was wrong', ...more };
    expect(await operator.post('/jobs', body)).toMatchObject({ status: 200 });
  };

  const awaitJob = (id: string, isThere: (job: JobView) => boolean, what: string): Promise<JobView> =>
    waitUntil(
      async () => {
        const job = (await operator.get(`/jobs/${id}`)).body as JobView;
        return isThere(job) ? job : undefined;
      },
      { what, timeoutMs: 180_000 },
    );

  const ended = async (id: string): Promise<JobView> => {
    const job = await awaitJob(id, ({ state }) => state === 'done' || state === 'failed', `${id} to end`);
    expect(job).toMatchObject({ state: 'done', error: null });
    return job;
  };

  const linesOf = async (id: string, kind: string): Promise<JobLinesPage['items']> => {
    const { items } = (await operator.get(`/jobs/${id}/lines?limit=500`)).body as JobLinesPage;
    return items.filter((line) => line['kind'] === kind);
  };

  const rows = async (): Promise<unknown> => {
    const [row] = await queryOnce<object>(
      harness.database.url,
      `SELECT (SELECT count(*)::int FROM intent) AS intents, (SELECT count(*)::int FROM quarantine) AS quarantine,
         (SELECT count(*)::int FROM dedup) AS dedup, (SELECT count(*)::int FROM dead_letter_outbox) AS letters`,
    );
    return row;
  };

  it('is counted by a dry run, which changes nothing', async () => {
    await sends(day);
    expect((await awaitSales(3)).slice(0, 3)).toEqual(['w-1 10', 'w-2 10', 'w-4 7']);
    await harness.writePrograms(mended);
    expect((await new ApiClient(daemon, 'admin').post('/reload', { reason: 'gross, and the app' })).status).toBe(200);
    const before = await rows();
    await begin('plan', { dryRun: true });
    const { progress } = await ended('plan');
    expect(progress).toEqual({
      ...{ offsets: day.length, offsetsRead: day.length, records: day.length },
      // The enrolment, two of the web; the third says another total now; what no map reads stays in quarantine.
      ...{ knownByPlace: 3, differs: 1, missed: apps.length, aside: 1 },
    });
    expect(await rows()).toEqual(before);
    expect(await linesOf('plan', 'missed')).toHaveLength(10);
    expect(await linesOf('plan', 'differs')).toEqual([
      {
        kind: 'differs',
        place: `${topic}/0@2`,
        intent: 'coffee-club~ada~3',
        differences: [{ path: 'data.total.minor', was: '1000', now: '1190' }],
      },
    ]);
  });

  it('has what was missed recorded and sent once, also where its daemon is killed in the middle', async () => {
    await begin('go', { ratePerSecond: 4 });
    const isInTheMiddle = ({ progress }: JobView): boolean => (progress['recorded'] ?? 0) >= 3;
    const half = await awaitJob('go', isInTheMiddle, 'some to be recorded');
    expect(half.state).toBe('running');
    daemon.kill('SIGKILL');
    await daemon.exited;
    await endLeases(harness.database.url);
    await start();
    const { progress } = await ended('go');
    expect(progress).toEqual({
      ...{ offsets: day.length, offsetsRead: day.length, records: day.length },
      ...{ knownByPlace: 3, differs: 1, recorded: apps.length, aside: 1 },
    });
    const told = ['w-1 10', 'w-2 10', 'w-4 7', ...apps.map(({ order: number, gross }) => `${number} ${Number(gross)}`)];
    expect(await awaitSales(told.length)).toEqual(told);
    expect(await linesOf('go', 'differs')).toHaveLength(1);
  });

  it('changes nothing where it is read once more', async () => {
    const before = await rows();
    await begin('again', { from: { 0: 0 } });
    const { progress } = await ended('again');
    expect(progress).toMatchObject({ records: day.length, knownByPlace: 3 + apps.length, differs: 1, aside: 1 });
    expect(progress).not.toHaveProperty('recorded');
    expect(await rows()).toEqual(before);
    expect(await sales()).toHaveLength(3 + apps.length);
  });

  it('is refused in one sentence where identities are remembered no longer, and where no source reads it', async () => {
    const body = { kind: 'reread-topic', topic, from: '2020-01-01T00:00:00Z', reason: 'all of it' };
    expect(await operator.post('/jobs', body)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('RETENTION_DEDUP_DAYS') as string },
    });
    const elsewhere = { ...body, topic: 'elsewhere', from: new Date().toISOString() };
    expect(await operator.post('/jobs', elsewhere)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('no source') as string },
    });
  });
});
