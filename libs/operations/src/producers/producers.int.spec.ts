import type { ProducerList } from '#contracts';
import { producersQuerySchema } from '#contracts';
import type { TestStore } from '#intents/testing';
import { now, program, SettableClock, testStore } from '#intents/testing';

import type { Actor } from '../access/operator.js';
import type { ApiSettings } from '../api-settings.js';
import { ZodPipe } from '../requests/read-request.js';
import { ProducersController } from './producers.controller.js';
import { producersMax } from './read-producers.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const viewer: Actor = { name: 'vi', role: 'viewer', programs: null, address: '10.0.0.1' };
const clock = new SettableClock(now + hourMs / 2);
const iso = (afterMs: number): string => new Date(now + afterMs).toISOString();

let store: TestStore;

beforeAll(async () => {
  store = await testStore(2);
  const insert = async (
    afterMs: number,
    of: { readonly isRest?: boolean; readonly source: string; readonly store: string; readonly program: string },
    counts: readonly number[],
  ): Promise<void> => {
    await store.sql(
      'INSERT INTO source_tally VALUES (to_timestamp($1), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
      ...[(now + afterMs) / 1_000, of.isRest ?? false, of.source, of.store, of.program, ...counts],
    );
  };
  const till = { source: '/till', store: 'berlin-07', program };
  await insert(0, till, [10, 1, 2, 3, 4, 5]);
  await insert(-23 * hourMs, till, [100, 0, 0, 0, 0, 0]);
  await insert(-24 * hourMs, till, [1_000, 0, 0, 0, 0, 0]);
  await insert(-30 * hourMs, till, [10_000, 0, 0, 0, 0, 0]);
  await insert(0, { source: '/zebra', store: '', program: 'tea-club' }, [7, 0, 0, 0, 0, 0]);
  await insert(0, { source: '', store: '', program: '' }, [0, 9, 0, 0, 0, 0]);
  await insert(0, { isRest: true, source: '', store: '', program: '' }, [3, 0, 0, 0, 0, 0]);
});

afterAll(() => store.close());

async function read(query: object = {}, actor: Partial<Actor> = {}): Promise<ProducerList> {
  const controller = new ProducersController({ database: store.database, clock } as unknown as ApiSettings);
  return controller.list(new ZodPipe(producersQuerySchema).transform(query), { ...viewer, ...actor });
}

const none = { events: 0, invalid: 0, late: 0, duplicates: 0, conflicting: 0, outOfOrder: 0 };
const nobody = { source: null, store: null, program: null, isRest: false, ...none };

describe('the producers', () => {
  it('are told with what they sent in the last day, by whole hours, the most events first', async () => {
    expect(await read()).toEqual({
      ...{ from: iso(-24 * hourMs), to: iso(hourMs / 2), lateSeconds: 3_600, isPart: false },
      items: [
        {
          ...{ source: '/till', store: 'berlin-07', program, isRest: false },
          ...{ events: 1_110, invalid: 1, late: 2, duplicates: 3, conflicting: 4, outOfOrder: 5 },
        },
        { ...nobody, source: '/zebra', program: 'tea-club', events: 7 },
        { ...nobody, isRest: true, events: 3 },
        { ...nobody, invalid: 9 },
      ],
    });
  });

  it('are those of a range', async () => {
    const { from, items } = await read({ from: iso(-31 * hourMs + 1), to: iso(-29 * hourMs) });
    expect([from, items.map(({ events }) => events)]).toEqual([iso(-31 * hourMs), [10_000]]);
  });

  it('are those of its programs for a token that is limited to some, without what is of no known one', async () => {
    const { items } = await read({}, { programs: ['tea-club'] });
    expect(items).toEqual([{ ...nobody, source: '/zebra', program: 'tea-club', events: 7 }]);
  });

  it.each([
    ['more than 31 days', { from: iso(-31 * dayMs - 1), to: iso(0) }],
    ['an end before its beginning', { from: iso(0), to: iso(-hourMs) }],
  ])('are not told for %s', async (_what, query) => {
    await expect(read(query)).rejects.toMatchObject({ options: { status: 400 } });
  });

  it('are so many at most', async () => {
    await store.sql(
      `INSERT INTO source_tally SELECT to_timestamp($1), false, '/many', n::text, 'p', 1, 0, 0, 0, 0, 0
       FROM generate_series(1, $2::int) AS n`,
      ...[now / 1_000, producersMax],
    );
    const { items, isPart } = await read();
    expect([items.length, isPart]).toEqual([producersMax, true]);
  });
});
