import pg from 'pg';

import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import type { ActionQuery } from './operator-action.js';
import { actionsLookedMax, AuditRepository, listActionsStatements } from './operator-action.js';

const at = Date.parse('2026-11-21T12:00:00.000Z');
const all: ActionQuery = { actor: null, action: null, programs: null, before: null, limit: 10 };
const count = 2 * actionsLookedMax;

describe('pages of a long audit', () => {
  let store: TestStore;
  let audits: AuditRepository;

  beforeAll(async () => {
    store = await testStore(2);
    audits = new AuditRepository(store.database);
    const [lane] = await store.sql<{ id: number }>(
      `INSERT INTO member (program_id, member_id, created_at) VALUES ('tea', 'm-1', now()) RETURNING lane_id AS id`,
    );
    // The first one is of ada, of a member and of the only known program; every other one is bob's, and each second one comes later.
    await store.sql(
      `INSERT INTO operator_action (at, actor, action, reason, lane_id, seq)
       SELECT to_timestamp($1::float8 / 1000) + g * interval '1 second', CASE g WHEN 1 THEN 'ada' ELSE 'bob' END,
         CASE g WHEN 1 THEN 'member.unmask' ELSE 'pause.set' END, g::text, CASE g WHEN 1 THEN $2::bigint END, CASE g WHEN 1 THEN 0 END
       FROM generate_series(1, $3::int) AS g`,
      at,
      lane?.id ?? 0,
      count,
    );
  });

  afterAll(() => store.close());

  const reasons = async (query: Partial<ActionQuery>): Promise<readonly [string[], number | null]> => {
    const { items, next } = await audits.list({ ...all, ...query });
    return [items.map(({ reason }) => reason), next];
  };

  it('look at no more than so many actions where little fits, and go on behind them', async () => {
    const [none, next] = await reasons({ programs: ['tea'] });
    expect([none, next]).toEqual([[], count - actionsLookedMax + 1]);
    const [one, after] = await reasons({ programs: ['tea'], before: next });
    expect([one, after]).toEqual([['1'], 1]);
    expect(await reasons({ programs: ['tea'], before: after })).toEqual([[], null]);
  });

  it.each<[string, Partial<ActionQuery>]>([
    ['of somebody', { actor: 'ada' }],
    ['of a kind', { action: 'member.unmask' }],
    ['of a member', { memberId: 'm-1' }],
    ['of a time', { to: at + 2_000 }],
    ['of a time that begins', { from: at, to: at + 1_001 }],
  ])('find the only one %s at once, however many came after it', async (_, query) => {
    expect(await reasons(query)).toEqual([['1'], null]);
  });

  it('are in the order of their time, each action once, also where one behind which a page began has left', async () => {
    const seen: string[] = [];
    let before: number | null = null;
    for (let pages = 0; pages < 3; pages += 1) {
      const [page, next] = await reasons({ actor: 'bob', before });
      seen.push(...page);
      before = next;
    }
    expect(seen).toEqual(Array.from({ length: 30 }, (_, index) => String(count - index)));
    const absent = count + 1_000;
    expect((await reasons({ before: absent, limit: 1 }))[0]).toEqual([String(count)]);
  });

  it.each([
    ['operator_action_by_time', 'newest', 'NULL, NULL, NULL'],
    ['operator_action_of_actor', 'actor', "'ada', NULL, NULL"],
    ['operator_action_of_kind', 'action', "NULL, 'pause.set', NULL"],
    ['operator_action_of_member', 'member', "NULL, NULL, 'm-1'"],
  ] as const)('are read in the order of %s', async (index, plan, sought) => {
    const { name, text } = listActionsStatements[plan];
    const client = new pg.Client({ connectionString: store.url });
    await client.connect();
    await client.query(
      'SET enable_seqscan = off; SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan',
    );
    await client.query(`PREPARE ${name} AS ${text}`);
    const { rows } = await client.query<Record<'QUERY PLAN', string>>(
      `EXPLAIN EXECUTE ${name} ('infinity', 0, '-infinity', ${sought}, NULL, 50)`,
    );
    await client.end();
    const told = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(told).toMatch(new RegExp(`Index Scan( Backward)? using ${index} on operator_action`));
    expect(told).not.toContain('Seq Scan on operator_action');
  });
});
