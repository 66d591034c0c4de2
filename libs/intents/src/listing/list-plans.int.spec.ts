import pg from 'pg';

import { testDatabase } from '#test-support';
import type { TestDatabase } from '#test-support';

import type { LookPlan } from './look-statement.js';
import { lookSizes, lookStatement } from './look-statement.js';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Subplan Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

const values: Readonly<Record<LookPlan, readonly [string | number | null, string | number | null]>> = {
  one: [1, 1],
  newest: [null, null],
  standing: ['parked', null],
  purchase: ['B-2', null],
  member: ['m-1', null],
};

/** Every candidate comes from an index, in its order: nothing is sorted, however many there are. */
describe('the query plan of a list', () => {
  let test: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    test = await testDatabase();
    client = new pg.Client({ connectionString: test.url });
    await client.connect();
    // Tables this small are read whole otherwise; the plan is meant for ten million rows.
    await client.query(
      'SET enable_seqscan = off; SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan',
    );
  });

  afterAll(async () => {
    await client.end();
    await test.dispose();
  });

  async function candidatePlan(plan: LookPlan): Promise<PlanNode> {
    const { text } = lookStatement(plan, lookSizes[1]);
    await client.query(`DEALLOCATE ALL; PREPARE look_${plan} AS ${text}`);
    const given = ['9999-12-31T00:00:00Z', 2 ** 40, 1, '-infinity', ...values[plan]];
    const literals = given.map((value) => (value === null ? 'NULL' : pg.escapeLiteral(String(value))));
    const explain = `EXPLAIN (FORMAT JSON) EXECUTE look_${plan} (${literals.join(', ')})`;
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explain);
    const found = rows[0] === undefined ? undefined : nodes(rows[0]['QUERY PLAN'][0].Plan).find(isCandidate);
    if (found === undefined) throw new Error('the candidates are not in the plan');
    return found;
  }

  function isCandidate(node: PlanNode): boolean {
    return node['Subplan Name'] === 'CTE candidate';
  }

  function nodes(node: PlanNode): PlanNode[] {
    return [node, ...(node.Plans ?? []).flatMap(nodes)];
  }

  it.each([
    ['newest', 'intent_recorded'],
    ['standing', 'intent_standing_list'],
    ['purchase', 'intent_purchase'],
    ['member', 'intent_pkey'],
    ['one', 'intent_pkey'],
  ] as const)('%s: reads %s', async (plan, index) => {
    const parts = nodes(await candidatePlan(plan));
    expect(parts.map((node) => node['Index Name'])).toContain(index);
    expect(parts.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    // A purchase has few intents, one has one: those may be sorted.
    if (plan !== 'purchase' && plan !== 'one') expect(parts.map((node) => node['Node Type'])).not.toContain('Sort');
  });

  it('looks for a member by program and id, also where no program is asked for', async () => {
    const conditions = nodes(await candidatePlan('member')).map((node) => node['Index Cond'] ?? '');
    expect(conditions.filter((text) => text.includes('member_id'))).toEqual([
      expect.stringMatching(/program_id = .* AND .*member_id = /),
    ]);
  });
});
