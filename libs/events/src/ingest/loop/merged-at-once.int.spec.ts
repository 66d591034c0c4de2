import { waitUntil } from '#embedded';
import type { Database, SqlSession } from '#platform';

import type { EventSketch } from '../testing/events.js';
import { testPrograms } from '../testing/events.js';
import { at, Till } from '../testing/till.js';

let till: Till;

beforeEach(async () => {
  till = await Till.open(testPrograms());
});

afterEach(() => till.close());

const merge = (into: string, absorbed: readonly string[], time = '09:00'): EventSketch => ({
  ...{ id: `m-${into}`, name: 'loyalty.member.merged.v1', frame: at(time) },
  data: { memberId: into, absorbed },
});

const sale = (memberId: string, purchaseId: string): EventSketch => ({
  ...{ id: purchaseId, name: 'loyalty.purchase.completed.v1', frame: at('09:30') },
  data: { memberId, purchaseId },
});

const updated = (memberId: string): EventSketch => ({
  ...{ id: `u-${memberId}`, name: 'loyalty.member.updated.v1', frame: at('09:30') },
  data: { memberId, changed: ['tier'], tier: 'gold' },
});

/** Has a transaction open until it is told to commit. */
async function open(
  database: Database,
  work: (session: SqlSession) => Promise<unknown>,
): Promise<{ readonly pid: number; readonly commit: () => Promise<void> }> {
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<undefined>();
  const { promise: hasBegun, resolve: begun } = Promise.withResolvers<number>();
  const done = database.transaction('spec_rival', async (session) => {
    await work(session);
    const { rows } = await session.query<{ pid: number }>({ name: 'spec pid', text: 'SELECT pg_backend_pid() AS pid' });
    begun(rows[0]?.pid ?? 0);
    await mayEnd;
  });
  const pid = await hasBegun;
  return {
    pid,
    commit: async () => {
      end(undefined);
      await done;
    },
  };
}

/** Until as many sessions wait for a lock, of one session if it is named. */
async function untilWaiting(sessions: number, behind: number | null = null): Promise<void> {
  const text = `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database()
    AND wait_event_type = 'Lock' AND ($1::int IS NULL OR $1::int = ANY (pg_blocking_pids(pid)))`;
  const areWaiting = async (): Promise<boolean> => {
    const { rows } = await till.database.execute<{ waiting: number }>({ name: 'spec waiting', text }, [behind]);
    return rows[0]?.waiting === sessions;
  };
  await waitUntil(areWaiting, { what: `${sessions} sessions to wait`, timeoutMs: 30_000 });
}

const absorb = (name: string, into: string) => (session: SqlSession) =>
  session.query({
    name: `spec absorb ${name}`,
    text: `WITH locked AS (SELECT lane_id FROM lane JOIN member USING (lane_id) WHERE member_id = '${name}' FOR UPDATE OF lane)
      UPDATE member SET merged_into = '${into}', merged_at = now() FROM locked WHERE member.lane_id = locked.lane_id`,
  });

const lock = (name: string) => (session: SqlSession) =>
  session.query({ name: `spec lock ${name}`, text: `SELECT FROM member WHERE member_id = '${name}' FOR UPDATE` });

it('of two merges of one member at once the later one counts, whichever is recorded first', async () => {
  // Known by name only: nothing was ever owed to them.
  await till.sends({ ...merge('zoe', ['old'], '08:00'), name: 'loyalty.member.unmerged.v1' });
  const rival = await open(till.database, lock('old'));
  const later = till.sendsTo(0, [merge('ada', ['old'], '09:10')]);
  await untilWaiting(1);
  const earlier = till.sendsTo(1, [merge('bob', ['old'], '09:05')]);
  await untilWaiting(2);
  await rival.commit();
  await Promise.all([later, earlier]);
  await till.sends(sale('old', 'B-1'));
  expect((await till.intents()).filter((line) => line.includes('B-1'))).toEqual(['ada B-1 59.99 pending']);
});

it('a survivor who is absorbed while its absorbed member is waited for is seen as such', async () => {
  await till.sends(sale('old', 'B-1'), sale('ada', 'B-2'), sale('zoe', 'B-3'));
  const first = await open(till.database, absorb('old', 'ada'));
  const second = await open(till.database, absorb('ada', 'zoe'));
  const recorded = till.sends(updated('old'));
  await untilWaiting(1, first.pid);
  await first.commit();
  await untilWaiting(1, second.pid);
  await second.commit();
  await recorded;
  const text = `SELECT m.member_id AS line FROM intent i JOIN member m USING (lane_id) WHERE i.operation = 'update-via-workflow'`;
  const { rows } = await till.database.execute<{ line: string }>({ name: 'spec updates', text });
  expect(rows.map(({ line }) => line)).toEqual(['zoe']);
});
