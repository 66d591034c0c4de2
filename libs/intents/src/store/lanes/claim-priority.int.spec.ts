import pg from 'pg';

import type { Priority } from '#intents/core';
import { testDatabase } from '#test-support';

import { claim, deliverOne, openLanes } from '../../testing/lease.js';
import { enrolment, laneOf, newMember, now, program, purchase, update } from '../../testing/records.js';
import { claimStatement } from './claim-statement.js';

const { store, till } = await openLanes();

async function priorityOf(member: string): Promise<number> {
  const { lane_id: laneId } = await laneOf(store, member);
  return (await store.sql<{ priority: number }>('SELECT priority FROM lane WHERE lane_id = $1', laneId))[0]!.priority;
}

async function imported(count: number): Promise<string[]> {
  const members = Array.from({ length: count }, () => newMember());
  await till.record(...members.map((member) => enrolment(`${member}-e`, member)));
  return members;
}

describe('which lane is claimed first', () => {
  it('is the one in which a purchase waits, also behind its enrolment, however long the others have waited', async () => {
    await imported(20);
    const live = newMember();
    await till.recordAt(now + 5, enrolment(`${live}-e`, live), purchase(`${live}-p`, live));
    const lanes = await claim(store, { now: now + 5, limit: 2 });
    expect(lanes.map(({ memberId }) => memberId)).toContain(live);
    expect(lanes.find(({ memberId }) => memberId === live)?.cursor.current).toBe(1);
  });

  it('is one of another priority where that is asked for, and what is left of the room is for the others', async () => {
    const [low] = await imported(1);
    const buyers = [await till.withPurchases(), await till.withPurchases()];
    const taken = async (order: readonly Priority[], limit: number): Promise<string[]> =>
      (await claim(store, { order, limit })).map(({ memberId }) => memberId);
    expect(await taken([1, 0, 2], 1)).toEqual([low]);
    expect((await taken([1, 0, 2], 4)).toSorted()).toEqual(buyers.toSorted());
  });

  it('goes by what still waits in the lane: a purchase that is sent counts no more', async () => {
    const member = newMember();
    await till.record(update(`${member}-u1`, member), purchase(`${member}-p`, member), update(`${member}-u2`, member));
    expect(await priorityOf(member)).toBe(0);
    await deliverOne(store);
    expect(await priorityOf(member)).toBe(0);
    await deliverOne(store);
    expect(await priorityOf(member)).toBe(1);
    await till.record(purchase(`${member}-q`, member));
    expect(await priorityOf(member)).toBe(0);
  });

  it('is as the programs file says, where it says something', async () => {
    const member = newMember();
    const told = enrolment(`${member}-e`, member);
    const intents = told.verdict.intents.map((intent) => ({ ...intent, priority: 2 as const }));
    await till.record({ ...told, verdict: { ...told.verdict, intents } });
    expect(await priorityOf(member)).toBe(2);
    await till.record(update(`${member}-u`, member));
    expect(await priorityOf(member)).toBe(1);
  });
});

interface AnalyzedNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly AnalyzedNode[];
}

const withChildren = (node: AnalyzedNode): AnalyzedNode[] => [node, ...(node.Plans ?? []).flatMap(withChildren)];

describe('what a claim reads', () => {
  it.each([[100], [20_000]])(
    'is what it takes, and nothing more, with %d lanes due of each lower priority',
    async (count) => {
      const { adminUrl, dispose } = await testDatabase();
      const client = new pg.Client({ connectionString: adminUrl });
      await client.connect();
      try {
        await client.query(`SET session_replication_role = replica;
        INSERT INTO lane (lane_id, program_id, tail_seq, due_at, high_seq, normal_seq)
          SELECT n, '${program}', 1, '2026-11-21'::timestamptz + n * interval '1 ms', CASE WHEN n <= 3 THEN 1 ELSE 0 END, n % 2
          FROM generate_series(1, ${2 * count}) n;
        ANALYZE lane; SET plan_cache_mode = force_generic_plan`);
        const { name, text } = claimStatement(8);
        await client.query(`PREPARE ${name} AS ${text}`);
        const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: AnalyzedNode }] }>(`EXPLAIN (ANALYZE, FORMAT JSON)
        EXECUTE ${name} ('${program}', '2027-01-01', '{-infinity,-infinity,-infinity}', '2027-01-02',
          '00000000-0000-4000-8000-000000000001', '{0,1,2}', NULL, '{}', 0)`);
        const read = withChildren(rows[0]!['QUERY PLAN'][0].Plan)
          .filter((node) => node['Index Name'] === 'lane_due')
          .map((node) => node['Actual Rows'] * node['Actual Loops']);
        expect(read).toEqual([3, 5, 0]);
      } finally {
        await client.end();
        await dispose();
      }
    },
  );

  it('is found by its key where nothing is known of the tables yet', async () => {
    const { adminUrl, dispose } = await testDatabase();
    const client = new pg.Client({ connectionString: adminUrl });
    await client.connect();
    try {
      await client.query('SET plan_cache_mode = force_generic_plan; SET random_page_cost = 1.1');
      const { name, text } = claimStatement(256);
      await client.query(`PREPARE ${name} AS ${text}`);
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: AnalyzedNode }] }>(`EXPLAIN (FORMAT JSON)
        EXECUTE ${name} ('${program}', '2027-01-01', '{-infinity,-infinity,-infinity}', '2027-01-02',
          '00000000-0000-4000-8000-000000000001', '{0,1,2}', NULL, '{transaction}', 9)`);
      const scanned = withChildren(rows[0]!['QUERY PLAN'][0].Plan)
        .filter((node) => node['Node Type'] === 'Seq Scan')
        .map((node) => node['Relation Name']);
      expect(scanned.filter((table) => ['lane', 'intent'].includes(table ?? ''))).toEqual([]);
    } finally {
      await client.end();
      await dispose();
    }
  });
});
