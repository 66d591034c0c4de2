import { rebuildLanes } from '../rebuild/rebuild-lanes.js';
import { deliverOne, leaseMs } from '../../testing/lease.js';
import type { TestEvent } from '../../testing/records.js';
import { enrolment, laneOf, leaving, namesOfRow, now, program, purchase, Till, update } from '../../testing/records.js';
import { Retaining } from '../../testing/retaining.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore, withBefore } from '../../testing/test-store.js';
import { ensureMembers } from '../passes/adopt-passes.js';
import { finishErasures } from './erasure.js';

let store: TestStore;
let till: Till;

const memberId = 'm_81273';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const ago = (hours: number): number => now - hours * hourMs;

beforeEach(async () => {
  store = await testStore(8);
  till = new Till(store);
});

afterEach(() => store.close());

/** By an event, until the partner knows. */
async function erase(): Promise<void> {
  await till.tell([leaving('x', memberId, true), ago(5)]);
  await deliverOne(store, { now: now + leaseMs + 1 });
  expect(await finishErasures(store.database, now)).toBe(1);
}

async function live(): Promise<void> {
  await till.tell([enrolment('e', memberId), ago(9)], [purchase('p', memberId), ago(8)]);
  await deliverOne(store);
  await deliverOne(store);
}

/** The tables of which a row has the id in it. */
async function tablesThatNameIt(): Promise<string[]> {
  const tables = await store.sql<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
  );
  const named: string[] = [];
  for (const { name } of tables) {
    const rows = await store.sql(`SELECT FROM ${name} t WHERE t::text LIKE '%' || $1 || '%' LIMIT 1`, memberId);
    if (rows.length > 0) named.push(name);
  }
  return named;
}

describe('who is erased', () => {
  beforeEach(live);

  it('stands nowhere under their id any more', async () => {
    expect(await tablesThatNameIt()).toEqual(['member']);
    await erase();
    expect(await tablesThatNameIt()).toEqual([]);
    expect(await till.tell([purchase('n', memberId), ago(1)], [update('u', memberId), ago(1)])).toEqual([
      'erased',
      'stale',
    ]);
    expect(await tablesThatNameIt()).toEqual([]);
  });

  it('is named by nobody who lived on in them once', async () => {
    await till.tell([enrolment('f', 'other'), ago(9)]);
    await store.sql(`UPDATE member SET undone_from = $1, undone_at = now() WHERE member_id = 'other'`, memberId);
    await till.tell([leaving('x', memberId, true), ago(5)]);
    expect(await store.sql('SELECT FROM member WHERE undone_from = $1', memberId)).toEqual([]);
  });

  it('is no other member to a listing of the partner', async () => {
    await erase();
    const found = await ensureMembers(store.database, { program, memberIds: [memberId], now }, store.newKeys());
    expect([...found.values()]).toMatchObject([{ memberId, key: null }]);
    expect(await store.sql('SELECT FROM member')).toHaveLength(1);
  });

  it('bears the id again as a new member, and loses it with the next erasure', async () => {
    await erase();
    expect(await till.tell([enrolment('back', memberId, 'Anew'), ago(3)])).toEqual(['recorded']);
    expect(await tablesThatNameIt()).toEqual(['member']);
    expect(await store.sql('SELECT FROM member')).toHaveLength(1);
  });

  it('is recognised where another process creates and erases them before the name is written', async () => {
    const other = 'm_2';
    const races = withBefore(store, 'insert_members', async () => {
      const elsewhere = new Till(store);
      await elsewhere.tell([enrolment('f', other), ago(9)]);
      await elsewhere.tell([leaving('y', other, true), ago(5)]);
      await deliverOne(store, { now: now + leaseMs + 1 });
      await finishErasures(store.database, now);
    });
    expect(await new Till(races).tell([purchase('n', other), ago(1)])).toEqual(['erased']);
    expect(await store.sql('SELECT FROM member')).toHaveLength(2);
  });
});

describe('the digest of who is erased', () => {
  const erasedDays = 40;

  async function maintain(days: number): Promise<number> {
    const retaining = new Retaining(store);
    retaining.at = now + days * dayMs;
    return (await retaining.run({ erasedDays, dedupDays: 40 })).erased;
  }

  const late: TestEvent = purchase('late', memberId);

  beforeEach(async () => {
    await live();
    await erase();
  });

  it('is kept for its term: by then nobody takes them for somebody new', async () => {
    expect(await maintain(erasedDays)).toBe(0);
    expect(await till.tell([late, ago(1)])).toEqual(['erased']);
  });

  it('goes after it with the enrolment, by which the id could be guessed; the lane is still what its facts say', async () => {
    const { lane_id: laneId } = await laneOf(store, memberId);
    expect(await maintain(erasedDays + 1)).toBe(1);
    expect(await maintain(erasedDays + 1)).toBe(0);
    const borne = await store.sql<{ name: string }>('SELECT member_id AS name FROM member');
    expect(namesOfRow(store, memberId)).not.toContain(borne[0]?.name);
    expect(await store.sql('SELECT FROM intent WHERE lane_id = $1', laneId)).toEqual([]);
    expect(await store.sql('SELECT FROM dedup')).toEqual([]);
    const before = await store.sql('SELECT head_seq, tail_seq, version, pass, issue_seq FROM lane');
    await rebuildLanes(store.owned, now);
    expect(await store.sql('SELECT head_seq, tail_seq, version, pass, issue_seq FROM lane')).toEqual(before);
  });

  it('goes of nobody who has come back', async () => {
    await till.tell([enrolment('back', memberId, 'Anew'), ago(3)]);
    expect(await maintain(erasedDays + 1)).toBe(0);
    expect(await till.tell([purchase('old', memberId), ago(4)])).toEqual(['erased']);
  });
});
