import { waitUntil } from '#embedded';

import { adoptPasses, ensureMembers } from '../passes/adopt-passes.js';
import { now, program, purchase, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { erasedName } from './erased-names.js';
import { destroyKey } from './erasure.js';

let store: TestStore;

beforeEach(async () => {
  store = await testStore(4);
});

afterEach(() => store.close());

async function adopt(memberId: string): Promise<number> {
  const { keys } = store;
  const members = await ensureMembers(store.database, { program, memberIds: [memberId], now }, store.keys);
  const [member] = members.values();
  if (member === undefined || member.key === null) throw new Error('the member has no key');
  const passes = [{ laneId: member.laneId, key: member.key, pass: { passId: 7 } }];
  const request = { program, place: { brandId: '1', programId: '2' }, passes, job: 'j1', page: 1, now };
  await store.database.transaction('adopt', (session) => adoptPasses(session, request, keys));
  return member.laneId;
}

async function isLockWaitedFor(): Promise<boolean> {
  const rows = await store.sql(
    `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE datname = current_database() AND NOT granted`,
  );
  return rows.length > 0;
}

describe('the erasure of a member who was adopted and has nothing recorded yet', () => {
  it('while a purchase is being recorded leaves nothing of that, but that it was', async () => {
    const laneId = await adopt('a');
    const recording = { done: Promise.resolve<unknown>(undefined) };
    await store.database.transaction('erase', async (session) => {
      await session.query({ name: 'lock', text: 'SELECT FROM lane WHERE lane_id = $1 FOR UPDATE' }, [laneId]);
      // It has read the member's key, and waits for the lane.
      recording.done = new Till(store).record(purchase('p1', 'a'));
      await waitUntil(isLockWaitedFor, { what: 'ingest to wait for the lane', timeoutMs: 30_000 });
      await destroyKey(session, { laneId, at: now, now, erasedName: erasedName(store.keys.mac, 'a') });
    });
    await recording.done;
    expect(await store.sql('SELECT FROM intent')).toEqual([]);
    expect(await store.sql('SELECT FROM member_key')).toEqual([]);
    expect(await store.sql('SELECT reason FROM quarantine')).toEqual([{ reason: 'erased' }]);
  });
});
