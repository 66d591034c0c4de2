import type { Database } from '#platform';

import { lockLanes } from '../lanes/locked-lane.js';
import { recordSteps } from '../lanes/record-steps.js';
import { beginOf, claimOne, stepOf, untilBlocked, whileLocked } from '../testing/lease.js';
import type { TestEvent } from '../testing/records.js';
import {
  cancelling,
  historyOf,
  laneOf,
  now,
  purchase,
  purchaseKey,
  Till,
  transactionIntent,
} from '../testing/records.js';
import type { TestStore } from '../testing/test-store.js';
import { testStore } from '../testing/test-store.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(6);
  till = new Till(store);
});

afterEach(() => store.close());

/** A void by which another member's purchase is meant. */
function voidBy(memberId: string, purchaseId: string): TestEvent {
  const event = cancelling(`v-${purchaseId}`, memberId, purchaseKey(purchaseId));
  const [cancel] = event.verdict.cancels;
  const ifTooLate = transactionIntent(memberId, `counter-${purchaseId}`, { businessKey: null });
  return { ...event, verdict: { ...event.verdict, cancels: [{ ...cancel!, ifTooLate }] } };
}

async function purchaseIds(memberId: string): Promise<string[]> {
  const rows = await store.sql<{ purchase_id: string }>(
    'SELECT purchase_id FROM intent JOIN member USING (lane_id) WHERE member_id = $1 ORDER BY seq',
    memberId,
  );
  return rows.map((row) => row.purchase_id);
}

describe('a void that names another member than its purchase', () => {
  it('cancels the purchase where it is', async () => {
    await till.recordOutcomes(purchase('p1', 'a'));
    expect(await till.recordOutcomes(voidBy('b', 'p1'))).toEqual(['recorded']);
    expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '1 IntentCancelled']);
  });

  it.each([
    ['who has bought before', [purchase('p2', 'b')]],
    ['whom nobody knows', []],
  ])('waits for a begin that is under way, and is recorded as its counter-entry: one %s', async (_name, before) => {
    await till.recordOutcomes(purchase('p1', 'a'));
    const lease = await claimOne(store);
    if (before.length > 0) await till.recordOutcomes(...before);
    const results = await whileLocked(
      store,
      async (session) => {
        const database = { execute: session.query.bind(session) } as Pick<Database, 'execute'> as Database;
        const steps = [stepOf(lease, { begin: beginOf(1) })];
        expect(await recordSteps(database, { steps, now, isRetry: false }, store.keys)).toMatchObject([
          { begun: true },
        ]);
      },
      () => till.recordOutcomes(voidBy('b', 'p1')),
    );
    expect(results).toEqual(['recorded']);
    expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '1 AttemptBegun', '1 CancelRequested']);
    expect((await purchaseIds('b')).at(-1)).toBe('counter-p1');
  });

  it('locks all lanes of its batch in one order, so that two such batches do not meet head-on', async () => {
    await till.recordOutcomes(purchase('p1', 'a'), purchase('p2', 'b'));
    const [first, second] = [(await laneOf(store, 'a')).lane_id, (await laneOf(store, 'b')).lane_id].toSorted(
      (one, other) => one - other,
    );
    const [named, meant] = first === (await laneOf(store, 'a')).lane_id ? ['b', 'p1'] : ['a', 'p2'];
    const held = await store.database.transaction('holder', async (session) => {
      await lockLanes(session, [first!]);
      const recording = till.recordOutcomes(purchase('p3', named), voidBy(named, meant));
      await untilBlocked(store);
      const free = await store.sql('SELECT lane_id FROM lane WHERE lane_id = $1 FOR UPDATE SKIP LOCKED', second!);
      return { recording, free };
    });
    expect(await held.recording).toEqual(['recorded', 'recorded']);
    expect(held.free).toEqual([{ lane_id: second }]);
  });
});
