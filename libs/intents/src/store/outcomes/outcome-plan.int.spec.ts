import pg from 'pg';

import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import { planOf, readWhole } from '../../testing/query-plan.js';
import { outcomeRowsStatement, outcomeWindowMax } from './outcome-feed.js';

const memberCount = 10_000;
const intentsPerMember = 24;
const fillMs = 120_000;

/** Many more events than a window holds: how big the tables are must not tell how a window is read. */
const fill = `
SET session_replication_role = replica;
INSERT INTO member (lane_id, program_id, member_id, created_at)
  SELECT n, 'coffee-club', 'm' || n, '2026-11-21' FROM generate_series(1, ${memberCount}) n;
INSERT INTO member_key (lane_id, wrapped_key) SELECT lane_id, decode(md5(member_id), 'hex') FROM member;
INSERT INTO intent (lane_id, seq, version, operation, dedup_key, payload, event_type, occurred_at, broker_at, recorded_at,
    topic, partition, kafka_offset, programs_hash)
  SELECT n % ${memberCount} + 1, n / ${memberCount} + 1, 1, 'transaction', decode(md5(n::text), 'hex'), decode(md5(n::text), 'hex'),
    'loyalty.purchase.completed.v1', '2026-11-21', '2026-11-21', '2026-11-21', 'loyalty.purchases', 0, n, '\\x00'
  FROM generate_series(0, ${memberCount * intentsPerMember - 1}) n;
INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, sealed)
  SELECT lane_id, seq, t.step, 1, 1, t.type, '2026-11-21', decode(md5(lane_id::text), 'hex')
  FROM intent, (VALUES (2, 'AttemptBegun'), (3, 'AttemptApplied')) AS t(step, type);
INSERT INTO erasure SELECT lane_id, 1, '2026-11-21', 'erased.' || member_id FROM member WHERE lane_id % 1000 = 0;
SET session_replication_role = DEFAULT;
ANALYZE;
SET plan_cache_mode = force_generic_plan;
SET random_page_cost = 1.1;
SET max_parallel_workers_per_gather = 0`;

/** A plan that is made for no window in particular takes a window for a share of all events. */
describe('the query plan of the outcomes', () => {
  let test: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    test = await testDatabase();
    // Only who runs the server may leave triggers out.
    client = new pg.Client({ connectionString: test.adminUrl });
    await client.connect();
    await client.query(fill);
  }, fillMs);

  afterAll(async () => {
    await client.end();
    await test.dispose();
  });

  it('reads no table whole, however many events there are', async () => {
    const window = ['400000', String(400_000 + outcomeWindowMax)];
    const plan = await planOf(client, outcomeRowsStatement, window);
    // The others have a few rows here.
    expect(readWhole(plan).filter((table) => table !== 'recovery' && table !== 'erasure')).toEqual([]);
    expect(plan.filter((node) => ['Hash Join', 'Merge Join'].includes(node['Node Type']))).toEqual([]);
  });
});
