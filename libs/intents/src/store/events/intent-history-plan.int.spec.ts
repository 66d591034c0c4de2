import pg from 'pg';

import type { SqlStatement } from '#platform';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import { findEventsStatement } from '../lanes/locked-lane.js';
import { findOwnStepsStatement } from '../lanes/record-steps.js';
import { loadLaneFactsStatement } from '../rebuild/lane-truth.js';
import { planOf, readWhole } from '../../testing/query-plan.js';
import { loadEventsStatement } from './stored-event.js';

const laneCount = 20_000;
const intentsPerLane = 5;
const fillMs = 120_000;

const fill = `
SET session_replication_role = replica;
INSERT INTO lane (lane_id, program_id, attempt, attempt_open, open_version, open_epoch, open_since)
  SELECT n, 'coffee-club', 1, n % 100 = 0, CASE WHEN n % 100 = 0 THEN 9 END, 1, '2026-11-21' FROM generate_series(1, ${laneCount}) n;
INSERT INTO intent (lane_id, seq, version, operation, dedup_key, payload, event_type, occurred_at, broker_at, recorded_at,
    topic, partition, kafka_offset, programs_hash)
  SELECT n % ${laneCount} + 1, n / ${laneCount} + 1, 1, 'transaction', decode(md5(n::text), 'hex'), decode(md5(n::text), 'hex'),
    'loyalty.purchase.completed.v1', '2026-11-21', '2026-11-21', '2026-11-21', 'loyalty.purchases', 0, n, '\\x00'
  FROM generate_series(0, ${laneCount * intentsPerLane - 1}) n;
INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, sealed, begun_version, begun_epoch, begun_at)
  SELECT lane_id, seq, 2 * seq + 5, 1, 1, 'AttemptApplied', '2026-11-21', '\\x00', 2 * seq + 4, 1, '2026-11-21' FROM intent;
SET session_replication_role = DEFAULT;
ANALYZE;
SET plan_cache_mode = force_generic_plan;
SET max_parallel_workers_per_gather = 0`;

/** An array literal. */
const array = (of: (index: number) => unknown): string =>
  `'{${Array.from({ length: 256 }, (_, index) => of(index)).join(',')}}'`;
const lanes = array((index) => index + 1);
const ones = array(() => 1);

const statements: readonly { readonly statement: SqlStatement; readonly parameters: readonly string[] }[] = [
  { statement: loadEventsStatement, parameters: [lanes, ones] },
  { statement: loadLaneFactsStatement, parameters: [lanes] },
  { statement: findEventsStatement, parameters: ['77', '1'] },
  {
    statement: findOwnStepsStatement,
    parameters: [lanes, ones, ones, ones, array(() => 'AttemptBegun'), array(() => true)],
  },
];

/** A view of a union is read whole by whoever joins it, however few rows are asked for. */
describe('the query plan of what reads events and begins', () => {
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

  it.each(statements)('reads no table whole: $statement.name', async ({ statement, parameters }) => {
    const plan = await planOf(client, statement, parameters);
    expect(readWhole(plan).filter((table) => ['lane', 'intent', 'intent_event'].includes(table))).toEqual([]);
    expect(plan.some((node) => node['Relation Name'] === 'intent_event')).toBe(true);
  });
});
