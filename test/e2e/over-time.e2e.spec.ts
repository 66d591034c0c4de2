import type { IntentCountView, QuarantinePage, SeriesView } from '#contracts';
import { waitUntil } from '#embedded';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { emission, enrolled, produce, purchased } from './traffic.js';

const members = ['t-1', 't-2', 't-3'];
/** Two minutes must be over. */
const minute = { timeoutMs: 150_000, intervalMs: 1_000 };

describe('a daemon that keeps what happened', () => {
  let harness: Harness;
  let viewer: ApiClient;

  beforeAll(async () => {
    harness = await openHarness();
    viewer = new ApiClient(await harness.startDaemon({ OPS_TOKENS: apiTokens }), 'viewer');
    const purchases = members.map((member) => purchased(member, `${member}-p`));
    const malformed = emission('purchases', 'purchase.completed', { id: 'bad', memberId: 't-1', storeId: 'berlin-08' });
    // The first sale is told twice.
    const told = [...members.map(enrolled), ...purchases, ...purchases.slice(0, 1), malformed];
    await produce(harness.broker, harness.topics, told);
  });

  afterAll(async () => {
    await harness.close();
  });

  it('shows what it set aside of a producer', async () => {
    const aside = async (sender: Readonly<Record<string, string>>): Promise<QuarantinePage['items']> => {
      const query = new URLSearchParams({ source: '/pos/test/till-1', program: 'coffee-club', ...sender });
      return ((await viewer.get(`/quarantine?${query.toString()}`)).body as QuarantinePage).items;
    };
    const sender = { source: '/pos/test/till-1', store: 'berlin-08', program: 'coffee-club' };
    const isAside = async (): Promise<boolean> => (await aside({})).length > 0;
    await waitUntil(isAside, { what: 'the malformed one to be set aside', timeoutMs: 60_000, intervalMs: 500 });
    expect(await aside({})).toMatchObject([sender]);
    expect(await aside({ store: 'berlin-08' })).toMatchObject([sender]);
    expect(await aside({ store: 'berlin-07' })).toEqual([]);
    expect(await aside({ source: '' })).toEqual([]);
  });

  it('tells what happened in each minute', async () => {
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const sumOf = (items: SeriesView['items'], name: keyof SeriesView['items'][number]): number =>
      items.reduce((sum, point) => sum + Number(point[name]), 0);
    const counts = { received: 6, delivered: 6, quarantined: 1 } as const;
    const names = Object.keys(counts) as (keyof typeof counts)[];
    // A sale and the one set aside may fall into two minutes: each minute is told once it is over.
    const read = async (): Promise<SeriesView | undefined> => {
      const series = (await viewer.get(`/series?from=${from}`)).body as SeriesView;
      const isWhole = names.every((name) => sumOf(series.items, name) >= counts[name]);
      return isWhole && series.items.at(-1)?.waiting === 0 ? series : undefined;
    };
    const { stepSeconds, items } = await waitUntil(read, { what: 'the minute to be told', ...minute });
    expect(stepSeconds).toBe(60);
    expect(Object.fromEntries(names.map((name) => [name, sumOf(items, name)]))).toEqual(counts);
    expect(items.at(-1)).toMatchObject({ waiting: 0, stillUnknown: 0, stillParked: 0 });
    expect(items[0]).toMatchObject({ received: null, waiting: null });
  });

  it('counts what a filter finds', async () => {
    const counted = async (query: string): Promise<IntentCountView> =>
      (await viewer.get(`/intents/count?${query}`)).body as IntentCountView;
    expect(await counted('')).toEqual({ count: 6, isExact: true });
    expect(await counted('status=delivered&operation=issue')).toEqual({ count: 3, isExact: true });
    expect(await counted('q=t-1')).toEqual({ count: 2, isExact: true });
    expect((await viewer.get('/intents/count?cursor=x')).status).toBe(400);
  });
});
