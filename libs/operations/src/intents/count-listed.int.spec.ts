import type { IntentEvent } from '#intents/core';
import { waitUntil } from '#embedded';
import { SettledTally } from '#intents';
import type { TestStore } from '#intents/testing';
import {
  begin,
  claimOne,
  completion,
  deliverOne,
  laneOf,
  now,
  program,
  purchase,
  record,
  stepOf,
  testStore,
  Till,
} from '#intents/testing';
import { SystemClock } from '#platform';

import { overviewsOf } from '../testing/ports.js';
import { StatsService } from '../stats/stats-service.js';
import { countedMax, countListed, IntentCounter } from './count-listed.js';
import { MoneySum } from './money-view.js';
import { OpenIntents, openStatement } from './count-open.js';
import type { IntentFilter } from './list-intents.js';
import { IntentRepository } from './list-intents.js';

const clock = new SystemClock();
const lost: IntentEvent = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: null };
const rejected: IntentEvent[] = [
  { type: 'AttemptRejected', at: now, attempt: 1, code: 'refused' },
  { type: 'IntentParked', at: now, reason: 'rejected', lane: 'continue' },
];

let store: TestStore;

beforeAll(async () => {
  store = await testStore(4);
  const till = new Till(store);
  const attempt = async (kind: 'settle' | 'await', ...events: IntentEvent[]): Promise<void> => {
    const lease = await begin(store, await claimOne(store));
    await record(store, stepOf(lease, { completion: completion(lease, kind, { events, dueAt: now + 60_000 }) }));
  };
  await till.record(purchase('p1', 'delivered'));
  await deliverOne(store);
  for (const member of ['parked-1', 'parked-2']) {
    await till.record(purchase(`of-${member}`, member));
    await attempt('settle', ...rejected);
  }
  await till.record(purchase('p4', 'unknown'));
  await attempt('await', lost);
  await till.record(purchase('p5', 'pending'), purchase('p6', 'pending'));
});

afterAll(() => store.close());

/** With a service of its own: another one may show how things stood a second ago. */
async function counted(
  filter: IntentFilter,
  programs: readonly string[] | null = null,
): Promise<{ readonly count: number; readonly isExact: boolean }> {
  const { database } = store;
  const stats = new StatsService(overviewsOf(database), clock);
  const counter = new IntentCounter(database, clock, stats, new OpenIntents(database, clock));
  const { count, isExact } = await counter.count({ filter, programs });
  return { count, isExact };
}

async function listed(filter: IntentFilter): Promise<number> {
  return (await new IntentRepository(store.database, clock).list({ filter, programs: null, after: null, limit: 500 }))
    .items.length;
}

async function tallyAll(): Promise<void> {
  const tally = new SettledTally(store.database);
  const isDone = async (): Promise<boolean> => (await tally.step()) === 'idle';
  await waitUntil(isDone, { what: 'everything to be counted', timeoutMs: 30_000, intervalMs: 5 });
}

const filters: readonly IntentFilter[] = [
  {},
  ...(['waiting', 'pending', 'delivering', 'unknown', 'delivered', 'parked', 'cancelled'] as const).map((status) => ({
    status,
  })),
  ...[{ program }, { program: 'nobody' }, { operation: 'transaction' }, { operation: 'issue' }],
  ...[{ memberId: 'pending' }, { purchaseId: 'p1' }, { source: '/till' }, { store: 'nowhere' }],
  ...[{ reason: 'rejected' }, { status: 'parked', code: 'refused', program } as const, { from: now, to: now + 1 }],
  { to: now },
  ...([
    { statuses: ['parked', 'unknown'] },
    { statuses: ['unknown', 'pending'] },
    { statuses: ['parked', 'delivered'], program },
  ] as const),
];

describe('the count of intents', () => {
  it.each(filters)('is exactly what a list shows, before and after what is settled was counted: %j', async (filter) => {
    const wanted = { count: await listed(filter), isExact: true };
    expect(await counted(filter)).toEqual(wanted);
    await tallyAll();
    expect(await counted(filter)).toEqual(wanted);
  });

  it('is of those programs alone that a token is limited to', async () => {
    expect(await counted({}, [program])).toEqual({ count: 6, isExact: true });
    for (const filter of [{}, { status: 'parked' }, { memberId: 'pending' }, { program }] as const) {
      expect(await counted(filter, ['tea-club'])).toEqual({ count: 0, isExact: true });
    }
  });
});

describe('the count of very many', () => {
  const many = countedMax + 2_500;

  beforeAll(async () => {
    const { lane_id: lane } = await laneOf(store, 'pending');
    await store.sql(
      `INSERT INTO intent (lane_id, seq, version, operation, dedup_key, payload, store_id, event_type, occurred_at, broker_at,
         recorded_at, topic, partition, kafka_offset, programs_hash)
       SELECT $1::bigint, 10 + n, 1000 + n, 'transaction', int4send(n), '\\x', 'big', 't', to_timestamp(0), to_timestamp(0),
         to_timestamp($2::float8 / 1000), 't', 9, n, '\\x' FROM generate_series(1, $3::int) AS n`,
      ...[lane, now - 1_000, many],
    );
    await store.sql(
      `INSERT INTO intent_tally (topic, partition, program_id, operation, recorded) VALUES ('t', 9, $1, 'transaction', $2)`,
      ...[program, many],
    );
  });

  it('ends at a number of them', async () => {
    const still = { monotonic: () => 0 };
    const request = { filter: { store: 'big' }, programs: null };
    const { count, isExact } = await countListed(store.database, request, still);
    expect({ isExact, isEnough: count >= countedMax && count < countedMax + 1_000 }).toEqual({
      isExact: false,
      isEnough: true,
    });
  });

  it('ends after a time, however few of what it looks at it is to count', async () => {
    let at = 0;
    const slow = { monotonic: () => (at += 20) };
    const request = { filter: { store: 'nowhere' }, programs: null };
    expect(await countListed(store.database, request, slow)).toMatchObject({ count: 0, isExact: false });
    expect(at).toBeLessThan(200);
  });

  it('is exact where count is kept of them, and about so where what has left is counted, too', async () => {
    expect(await counted({ program })).toEqual({ count: many + 6, isExact: true });
    expect(await counted({ status: 'parked' })).toEqual({ count: 2, isExact: true });
    expect(await counted({ status: 'pending' })).toEqual({ count: many + 2, isExact: false });
    await store.sql(`INSERT INTO retired_tally VALUES ('p', 'transaction', 'delivered', 1)`);
    expect(await counted({})).toEqual({ count: many + 6, isExact: false });
    expect(await counted({ status: 'parked' })).toEqual({ count: 2, isExact: true });
  });
});

describe('the sum of intents', () => {
  const counterOf = ({ database }: TestStore): IntentCounter =>
    new IntentCounter(
      database,
      clock,
      new StatsService(overviewsOf(database), clock),
      new OpenIntents(database, clock),
    );

  it('is of what a list shows, by currency', async () => {
    const eur = [{ minor: 11_998, currency: 'EUR', digits: 2 }];
    for (const filter of [
      { status: 'parked' },
      { reason: 'rejected' },
      { status: 'parked', source: '/till' },
    ] as const) {
      expect(await counterOf(store).count({ filter, programs: null })).toEqual({
        ...{ count: 2, isExact: true },
        ...{ money: eur, moneyOf: 2 },
      });
    }
    expect(await counterOf(store).count({ filter: { status: 'parked' }, programs: ['tea-club'] })).toMatchObject({
      count: 0,
      money: [],
    });
  });

  it('says of how many it is where only the newest were looked at', async () => {
    const { count, moneyOf } = await counterOf(store).count({ filter: { program }, programs: null });
    expect(moneyOf).toBeLessThan(count);
    expect(moneyOf).toBeGreaterThan(0);
  });

  it('adds exact decimals of other lengths, those taken back too', () => {
    const sum = new MoneySum();
    for (const amount of ['0.1', '0.25', '-12', null]) sum.add({ amount, currency: 'EUR' });
    for (const amount of ['9007199254740993', '1']) sum.add({ amount, currency: 'HUF' });
    expect(sum.views()).toEqual([
      { minor: 9_007_199_254_740_994, currency: 'HUF', digits: 0 },
      { minor: -1_165, currency: 'EUR', digits: 2 },
    ]);
  });

  it('of 200,000 that are open looks at those alone, once, and at the index alone where it is of a part', async () => {
    const { sql } = store;
    await sql(
      `INSERT INTO intent_standing (lane_id, seq, status, reason, since, recorded_at, program_id, operation, currency, amount)
       SELECT 1, 100 + n, 'parked', 'rejected', now(), now(), 'coffee-club', CASE n % 50 WHEN 0 THEN 'reward' ELSE 'transaction' END,
         'EUR', 1 FROM generate_series(1, 200000) AS n`,
    );
    await sql('VACUUM ANALYZE intent_standing');
    const explained = async (operation: string, hasCause: boolean): Promise<string> => {
      const { text } = openStatement('currency', hasCause);
      const given = ["'{parked}'", 'NULL', "'coffee-club'", operation, 'NULL', 'NULL', 'NULL'];
      const bound = text.replace(/\$(\d)/g, (_all, number: string) => given[Number(number) - 1] ?? 'NULL');
      const rows = await sql<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, COSTS OFF) ${bound}`);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    expect(await explained("'reward'", false)).toMatch(/Index Only Scan using intent_standing_open/);
    for (const hasCause of [true, false]) {
      expect((await explained('NULL', hasCause)).match(/ Scan (using|on) /g)).toHaveLength(1);
    }
    const { count, money } = await counterOf(store).count({ filter: { status: 'parked' }, programs: null });
    expect({ count, money }).toEqual({ count: 200_002, money: [{ minor: 20_011_998, currency: 'EUR', digits: 2 }] });
  });
});
