import fc from 'fast-check';
import pg from 'pg';

import { waitUntil } from '#embedded';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import { extendLanes } from '../batch/place-intents.js';
import { beginOf, claim, leaseOf, owner, stepOf, tryClaim } from '../../testing/lease.js';
import { now, program, purchase, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { openTestStore } from '../../testing/test-store.js';
import { releaseLanes } from './claim-lanes.js';
import { recordLateOutcomes } from './record-late-outcomes.js';
import { recordSteps } from './record-steps.js';

const lanesMax = 24;
const transactionsMax = 200;

let test: TestDatabase;

beforeEach(async () => {
  test = await testDatabase();
});

afterEach(async () => {
  await test.dispose();
});

/** Deadlocks that Postgres broke in this database, read by one session after those that met them have ended. */
async function deadlocks(): Promise<number> {
  const client = new pg.Client({ connectionString: test.url });
  await client.connect();
  const others = `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  const haveEnded = async (): Promise<boolean> => (await client.query<{ count: number }>(others)).rows[0]?.count === 0;
  await waitUntil(haveEnded, { what: 'the other sessions to end', timeoutMs: 30_000 });
  const { rows } = await client.query<{ deadlocks: number }>(
    'SELECT deadlocks::int AS deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  await client.end();
  return rows[0]?.deadlocks ?? NaN;
}

async function withLanes(store: TestStore): Promise<number[]> {
  await new Till(store).record(...Array.from({ length: lanesMax }, (_, index) => purchase(`p${index}`, `m${index}`)));
  return (await store.sql<{ lane_id: number }>('SELECT lane_id FROM lane')).map((row) => row.lane_id);
}

type Work = (laneIds: readonly number[]) => Promise<unknown>;

function everyKind(store: TestStore): readonly Work[] {
  const { database, keys } = store;
  const lost = { type: 'LateOutcome', at: now, attempt: 1, outcome: 'applied', code: 'applied' } as const;
  return [
    (laneIds) =>
      database.transaction('extend', (session) =>
        extendLanes(
          session,
          laneIds.map((laneId) => ({
            laneId,
            program,
            count: 1,
            issueRank: laneId % 2 ? 1 : null,
            highRank: 0,
            normalRank: 1,
          })),
          now,
        ),
      ),
    (laneIds) => {
      const lease = { key: null, epoch: 0, revision: 0, attempt: 0, attemptOpen: false, seq: 1 };
      const steps = laneIds.map((laneId) => stepOf({ laneId, ...lease }, { begin: beginOf(1) }));
      return recordSteps(database, { steps, now, isRetry: false }, keys);
    },
    (laneIds) => {
      const told = laneIds.map((laneId) => ({ key: null, laneId, epoch: 0, seq: 1, event: lost, evidence: null }));
      return recordLateOutcomes(database, told, keys);
    },
    (laneIds) =>
      releaseLanes(database, {
        lanes: laneIds.map((laneId) => ({ laneId, epoch: 0 })),
        owner: store.random.uuid(),
        now,
      }),
    (laneIds) => tryClaim(store, { limit: laneIds.length }),
  ];
}

it('many transactions on the same lanes in any order never deadlock', async () => {
  const store = await openTestStore(test.url, 20);
  const laneIds = await withLanes(store);
  // As if claimed under epoch 0: the first begins take effect.
  await store.sql('UPDATE lane SET owner = $1', owner);
  const kinds = everyKind(store);
  const plans = fc.sample(fc.tuple(fc.nat(kinds.length - 1), fc.shuffledSubarray(laneIds, { minLength: 2 })), {
    numRuns: transactionsMax,
  });
  await Promise.all(plans.map(([kind, chosen]) => kinds[kind]!(chosen)));
  const rows = await store.sql<{ dense: boolean }>(
    `SELECT version = (SELECT count(*) FROM intent i WHERE i.lane_id = l.lane_id)
       + (SELECT count(*) FROM intent_history e WHERE e.lane_id = l.lane_id) + tail_seq - 1 AS dense FROM lane l`,
  );
  expect(rows).toEqual(laneIds.map(() => ({ dense: true })));
  await store.close();
  expect(await deadlocks()).toBe(0);
});

it('a deadlock would be seen', async () => {
  const store = await openTestStore(test.url, 4);
  const [one, other] = await withLanes(store);
  const lock = { name: 'lock_one', text: 'SELECT FROM lane WHERE lane_id = $1 FOR NO KEY UPDATE' };
  let met = 0;
  const both = Promise.withResolvers<undefined>();
  const crossing = ([first, second]: readonly (number | undefined)[]): Promise<unknown> =>
    store.database.transaction('crossing', async (session) => {
      await session.query(lock, [first!]);
      met += 1;
      if (met === 2) both.resolve(undefined);
      await both.promise;
      await session.query(lock, [second!]);
    });
  await Promise.all([crossing([one, other]), crossing([other, one])]);
  await store.close();
  // The loser repeats; on a busy machine the two may cross again.
  expect(await deadlocks()).toBeGreaterThanOrEqual(1);
});

it('leases of lanes that others extend meanwhile stay whole', async () => {
  const store = await openTestStore(test.url, 20);
  await withLanes(store);
  const leases = (await claim(store)).map(leaseOf);
  const begins = leases.map((lease) => stepOf(lease, { begin: beginOf(1) }));
  const extending = Array.from({ length: 10 }, (_, round) =>
    new Till(store).record(
      ...Array.from({ length: lanesMax }, (_lane, index) => purchase(`x${round}-${index}`, `m${index}`)),
    ),
  );
  const [results] = await Promise.all([
    recordSteps(store.database, { steps: begins, now, isRetry: false }, store.keys),
    ...extending,
  ]);
  expect(results.every(({ begun }) => begun)).toBe(true);
  const rows = await store.sql<{ tail_seq: number }>('SELECT tail_seq FROM lane');
  expect(rows).toEqual(leases.map(() => ({ tail_seq: 11 })));
  await store.close();
});
