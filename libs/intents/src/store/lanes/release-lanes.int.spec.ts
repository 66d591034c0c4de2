import { begin, claim, claimOne, owner, record, stepOf, waitForPass } from '../../testing/lease.js';
import { laneOf, now, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { releaseLanes } from './claim-lanes.js';

let store: TestStore;
let till: Till;

beforeAll(async () => {
  store = await testStore(4);
  till = new Till(store);
});

afterEach(async () => {
  await store.sql('UPDATE lane SET due_at = NULL');
});

afterAll(() => store.close());

function release(lane: { laneId: number; epoch: number }, by = owner): Promise<number> {
  return releaseLanes(store.database, { lanes: [lane], owner: by, now: now + 5 });
}

describe('releasing a lane', () => {
  it('makes it due at once, for anybody', async () => {
    const member = await till.withPurchases();
    expect(await release(await claimOne(store))).toBe(1);
    expect(await laneOf(store, member)).toMatchObject({ due_at: now + 5, owner: null, epoch: 1 });
    expect(await claimOne(store, { now: now + 5 })).toMatchObject({ epoch: 2 });
  });

  it('keeps what waits waiting', async () => {
    const member = await till.withPurchases();
    const lease = await claimOne(store);
    await record(store, stepOf(lease, { completion: waitForPass(lease) }));
    expect(await release(await claimOne(store, { now: now + 1_000 }))).toBe(1);
    expect(await laneOf(store, member)).toMatchObject({ due_at: now + 5, state: 'waiting' });
  });

  it('never gives back a lane with an open attempt: its outcome is still to come', async () => {
    const member = await till.withPurchases();
    expect(await release(await begin(store, await claimOne(store)))).toBe(0);
    expect(await laneOf(store, member)).toMatchObject({ owner, attempt_open: true });
  });

  it('does nothing to a lane that somebody else has taken over', async () => {
    const member = await till.withPurchases();
    const lease = await claimOne(store);
    const heir = '00000000-0000-4000-8000-000000000002';
    await claimOne(store, { now: now + 3_600_000, owner: heir });
    expect(await release(lease)).toBe(0);
    expect(await release({ ...lease, epoch: 2 })).toBe(0);
    expect(await laneOf(store, member)).toMatchObject({ owner: heir });
  });

  it('leaves a drained lane with nothing due', async () => {
    const member = await till.withPurchases();
    const lease = await claimOne(store);
    await store.sql('UPDATE lane SET cur_seq = 2, head_seq = 2 WHERE lane_id = $1', lease.laneId);
    expect(await release(lease)).toBe(1);
    expect(await laneOf(store, member)).toMatchObject({ due_at: null, owner: null });
  });

  it('takes many at once', async () => {
    for (let count = 0; count < 5; count += 1) await till.withPurchases();
    const lanes = (await claim(store)).map(({ laneId, epoch }) => ({ laneId, epoch })).toReversed();
    expect(await releaseLanes(store.database, { lanes, owner, now })).toBe(5);
    expect(await claim(store)).toHaveLength(5);
  });
});
