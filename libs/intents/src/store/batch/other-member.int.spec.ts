import { nobody } from '#intents/core';
import type { Database } from '#platform';

import { openTracedPayload } from '../keys/member-keys.js';
import { lockLanes } from '../lanes/lane-locks.js';
import { recordSteps } from '../lanes/record-steps.js';
import { beginOf, claimOne, deliverOne, stepOf, untilBlocked, whileLocked } from '../../testing/lease.js';
import type { TestEvent } from '../../testing/records.js';
import {
  cancelling,
  historyOf,
  laneOf,
  now,
  purchase,
  purchaseKey,
  Till,
  transactionIntent,
} from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(6);
  till = new Till(store);
});

afterEach(() => store.close());

/** A void by which a purchase is meant that is not the named member's. */
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

async function members(): Promise<string[]> {
  const rows = await store.sql<{ member_id: string }>('SELECT member_id FROM member ORDER BY lane_id');
  return rows.map((row) => row.member_id);
}

async function commandOf(memberId: string, seq: number): Promise<unknown> {
  const [row] = await store.sql<{ lane_id: number; payload: Buffer }>(
    'SELECT lane_id, payload FROM intent JOIN member USING (lane_id) WHERE member_id = $1 AND seq = $2',
    memberId,
    seq,
  );
  await store.learnKeys();
  return openTracedPayload(store.keys.members, { laneId: row!.lane_id, seq }, row!.payload).command;
}

describe.each([
  ['another member than its purchase', 'b'],
  ['no member', nobody],
])('a void that names %s', (_name, named) => {
  it('cancels the purchase where it is', async () => {
    await till.recordOutcomes(purchase('p1', 'a'));
    expect(await till.recordOutcomes(voidBy(named, 'p1'))).toEqual(['recorded']);
    expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '1 IntentCancelled']);
    expect(await members()).toEqual(['a']);
  });

  it('takes what was delivered back from whom it was given to', async () => {
    await till.recordOutcomes(purchase('p1', 'a'));
    await deliverOne(store);
    expect(await till.recordOutcomes(voidBy(named, 'p1'))).toEqual(['recorded']);
    expect(await purchaseIds('a')).toEqual(['p1', 'counter-p1']);
    expect(await commandOf('a', 2)).toMatchObject({ operation: 'transaction', uniqueId: 'a' });
    expect(await members()).toEqual(['a']);
  });

  it('looks for the pass by the email of that member, where passes are looked up so', async () => {
    await till.recordOutcomes(purchase('p1', 'ada@example.org'));
    await deliverOne(store);
    const event = voidBy(named, 'p1');
    const [cancel] = event.verdict.cancels;
    await till.recordOutcomes({ ...event, verdict: { ...event.verdict, cancels: [{ ...cancel!, isByEmail: true }] } });
    const by = { parameter: 'email', value: 'ada@example.org' };
    expect(await commandOf('ada@example.org', 2)).toMatchObject({ uniqueId: 'ada@example.org', by });
  });

  it.each([
    ['another one has bought before', [purchase('p2', 'b')]],
    ['nobody else is known', []],
  ])('waits for a begin that is under way, and is recorded as its counter-entry: %s', async (_what, before) => {
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
      () => till.recordOutcomes(voidBy(named, 'p1')),
    );
    expect(results).toEqual(['recorded']);
    const history = ['1 IntentRecorded', '1 AttemptBegun', '1 CancelRequested', '2 IntentRecorded'];
    expect(await historyOf(store, 'a')).toEqual(expect.arrayContaining(history));
    expect(await purchaseIds('a')).toEqual(['p1', 'counter-p1']);
    expect(await purchaseIds('b')).toEqual(before.length > 0 ? ['p2'] : []);
  });
});

describe('a void that names another member than its purchase', () => {
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
