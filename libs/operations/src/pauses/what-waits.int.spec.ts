import { deferredUntil } from '#intents';
import type { TestStore } from '#intents/testing';
import { laneOf, now, program, purchase, testStore, Till } from '#intents/testing';

import { WaitingRepository } from './what-waits.js';

let store: TestStore;

beforeAll(async () => {
  store = await testStore(2);
});

afterAll(() => store.close());

const sales = { operation: 'transaction', factor: null } as const;
const asked = { program, ...sales, refusedSince: now } as const;

async function sell(member: string, storeId: string, dueAt: number | null): Promise<number> {
  const sale = purchase(`${member}-p`, member);
  const intents = sale.verdict.intents.map((intent) => ({ ...intent, facts: { ...intent.facts, storeId } }));
  await new Till(store).record({ ...sale, verdict: { ...sale.verdict, intents } });
  const { lane_id: laneId } = await laneOf(store, member);
  const due = dueAt === null ? null : new Date(dueAt).toISOString();
  await store.sql('UPDATE lane SET due_at = $2::timestamptz WHERE lane_id = $1', laneId, due);
  return laneId;
}

async function park(laneId: number, change: { readonly reason: string; readonly since: number }): Promise<void> {
  await store.sql(
    `INSERT INTO intent_standing (lane_id, seq, status, reason, since, recorded_at, program_id, operation)
     VALUES ($1, 1, 'parked', $2, to_timestamp($3), to_timestamp($3), '${program}', 'transaction')`,
    ...[laneId, change.reason, change.since / 1_000],
  );
}

it('counts what lies where that pause defers it, by what may be held of it, beside what of the same was refused since', async () => {
  for (const member of ['a', 'b', 'c']) await sell(member, 'lisboa', deferredUntil(sales, now));
  await sell('d', 'hamburg', deferredUntil(sales, now));
  // Held by something else, due, and done with.
  await sell('e', 'hamburg', deferredUntil({ operation: 'reward', factor: null }, now));
  await sell('f', 'hamburg', now);
  await park(await sell('g', 'lisboa', null), { reason: 'rejected', since: now });
  await park(await sell('h', 'lisboa', null), { reason: 'rejected', since: now - 1_000 });
  await park(await sell('i', 'hamburg', null), { reason: 'unknown-outcome', since: now });
  const { waiting, isPart, factors } = await new WaitingRepository(store.database).read(asked);
  expect({ waiting, isPart }).toEqual({ waiting: 4, isPart: false });
  expect(factors.filter(({ factor }) => factor.startsWith('store:'))).toEqual([
    { factor: 'store:lisboa', waiting: 3, refused: 1 },
    { factor: 'store:hamburg', waiting: 1, refused: 0 },
  ]);
  expect(factors).toContainEqual({
    ...{ factor: 'event-type:loyalty.purchase.completed.v1', waiting: 4, refused: 1 },
  });
});

it('counts of a paused program all that is to be sent, wherever it lies, and nothing of another operation or program', async () => {
  const repository = new WaitingRepository(store.database);
  expect(await repository.read({ ...asked, operation: null })).toMatchObject({ waiting: 6 });
  const rewards = { ...asked, operation: 'reward' } as const;
  expect(await repository.read(rewards)).toEqual({ waiting: 0, isPart: false, factors: [] });
  expect(await repository.read({ ...asked, program: 'tea-club' })).toMatchObject({ waiting: 0, factors: [] });
});
