import type { TestStore } from '#intents/testing';
import { now, testStore } from '#intents/testing';

import { FailureGroupRepository } from './list-groups.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** The hour that runs has begun half an hour ago. */
const looksAt = now + 30 * minuteMs;

let store: TestStore;
let seq = 0;

beforeAll(async () => {
  store = await testStore(2);
});

afterAll(() => store.close());

async function park(reason: string, since: number, count = 1): Promise<void> {
  await store.sql(
    `INSERT INTO intent_standing (lane_id, seq, status, reason, since, recorded_at, program_id, operation)
     SELECT 1, $1::int + n, 'parked', $2, to_timestamp($3), to_timestamp($3), 'coffee-club', 'issue' FROM generate_series(1, $4::int) AS n`,
    ...[seq, reason, since / 1_000, count],
  );
  seq += count;
}

it('tells of each group how many came in each hour of the last day, the oldest first', async () => {
  await park('rejected', looksAt);
  await park('rejected', now, 2);
  await park('rejected', now - 1, 4);
  await park('rejected', now - 23 * hourMs, 8);
  await park('rejected', now - 23 * hourMs - 1, 16);
  await park('exhausted', now - 100 * hourMs);
  const [first, second] = await new FailureGroupRepository(store.database).list({ programs: null, now: looksAt });
  expect(first).toMatchObject({ reason: 'rejected', intents: 31 });
  expect(first?.hours.map(({ at, intents }) => [at, intents])).toEqual([
    [now - 24 * hourMs, 16],
    [now - 23 * hourMs, 8],
    [now - hourMs, 4],
    [now, 3],
  ]);
  expect(second).toMatchObject({ reason: 'exhausted', hours: [] });
});

it('tells it of the groups that are shown, where there are hours of more than could be', async () => {
  await store.sql(
    `INSERT INTO intent_standing (lane_id, seq, status, reason, since, recorded_at, program_id, operation)
     SELECT 2, n, 'parked', 'r-' || n / 24, to_timestamp($1) - n % 24 * interval '1 hour', to_timestamp($1), 'p', 'issue'
     FROM generate_series(0, 23999) AS n`,
    looksAt / 1_000,
  );
  const [first] = await new FailureGroupRepository(store.database).list({ programs: null, now: looksAt });
  expect(first).toMatchObject({ reason: 'rejected', intents: 31 });
  expect(first?.hours.map(({ intents }) => intents)).toEqual([16, 8, 4, 3]);
});
