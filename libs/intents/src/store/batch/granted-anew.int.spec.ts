import type { BusinessKey, CancelRequest, IntentEvent, RewardCommand, RoutedIntent } from '#intents/core';

import { begin, claimOne, completion, deliverOne, record, stepOf } from '../../testing/lease.js';
import type { TestEvent } from '../../testing/records.js';
import { cancelling, laneOf, now, program, Till, transactionIntent } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { IntentActionRepository } from '../operator/intent-action-repository.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(4);
  till = new Till(store);
});

afterEach(() => store.close());

const minuteMs = 60_000;
/** So many minutes before the specs' present. */
const ago = (minutes: number): number => now - minutes * minuteMs;

const keyOf = (scope: 'grant' | 'revocation', id: string): BusinessKey => {
  return { scope, parts: [id], perGeneration: false };
};
const campaign: BusinessKey = { scope: 'campaign', parts: ['autumn', 'a'], perGeneration: false, perLife: true };

function rewardIntent(rewardId: string, change: Partial<RoutedIntent>): RoutedIntent {
  const { command: _command, facts: _facts, total: _total, ...intent } = transactionIntent('a', '');
  const pass = { brandId: '101', programId: '2001', uniqueId: 'a', uniqueIdKey: 'memberId' };
  const command: RewardCommand = { ...pass, operation: 'reward', rewardId };
  return { ...intent, operation: 'reward', command, facts: {}, ...change };
}

/** A reward that a member gets once for the autumn campaign. */
function granted(grantId: string): TestEvent {
  const alias = { key: campaign, content: 'cake' };
  const intent = rewardIntent('9001', { businessKey: keyOf('grant', grantId), businessContent: grantId, alias });
  const event = cancelling(grantId, 'a', 'everything-queued');
  return { ...event, type: 'loyalty.reward.granted.v1', verdict: { ...event.verdict, intents: [intent], cancels: [] } };
}

function revoked(grantId: string): TestEvent {
  const target = keyOf('grant', grantId);
  const own = { businessKey: keyOf('revocation', grantId), businessContent: grantId, waitsFor: target } as const;
  const ifTooLate = rewardIntent('9003', { ...own, awaitsUnknown: true });
  const cancel: CancelRequest = { program, memberId: 'a', target, reason: 'revoked', ifTooLate };
  const event = cancelling(`${grantId}-revoked`, 'a', target);
  return { ...event, type: 'loyalty.reward.revoked.v1', verdict: { ...event.verdict, cancels: [cancel] } };
}

/** What became of each intent. */
async function standing(): Promise<string[]> {
  const rows = await store.sql<{ status: string | null; reason: string | null }>(
    'SELECT s.status, s.reason FROM intent i LEFT JOIN intent_standing s USING (lane_id, seq) ORDER BY i.seq',
  );
  return rows.map(({ status, reason }) => (status === null ? 'open or delivered' : `${status} ${reason}`));
}

async function park(reason: 'expired' | 'rejected'): Promise<void> {
  const lease = await claimOne(store);
  const parked: IntentEvent = { type: 'IntentParked', at: now, reason, lane: 'continue' };
  await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [parked] }) }));
}

describe('regression: what a member gets once for a campaign, granted anew under its own number', () => {
  it('is given once where the first one stands', async () => {
    await till.tell([granted('g1'), ago(9)]);
    await deliverOne(store);
    expect(await till.tell([granted('g2'), ago(7)])).toEqual(['duplicate-business-key']);
    expect(await standing()).toEqual(['open or delivered']);
  });

  it('is given where the first one expired, and once then', async () => {
    await till.tell([granted('g1'), ago(9)]);
    await park('expired');
    expect(await till.tell([granted('g2'), ago(7)])).toEqual(['recorded']);
    expect(await till.tell([granted('g3'), ago(6)], [granted('g1'), ago(5)], [granted('g2'), ago(5)])).toEqual([
      ...['duplicate-business-key', 'duplicate-event', 'duplicate-event'],
    ]);
    expect(await standing()).toEqual(['parked expired', 'open or delivered']);
  });

  it('is none where the first one is parked for another reason: it stands in a list itself', async () => {
    await till.tell([granted('g1'), ago(9)]);
    await park('rejected');
    expect(await till.tell([granted('g2'), ago(7)])).toEqual(['duplicate-business-key']);
  });

  it('is given where the first one was cancelled by a person', async () => {
    await till.tell([granted('g1'), ago(9)]);
    const place = { laneId: (await laneOf(store, 'a')).lane_id, seq: 1 };
    const audit = { at: now, actor: 'ada', address: null, reason: 'a slip' };
    await new IntentActionRepository(store.database, store.keys.members).act({
      ...{ place, action: { kind: 'cancel', isNotDelivered: false }, audit },
    });
    expect(await till.tell([granted('g2'), ago(7)])).toEqual(['recorded']);
  });

  it('is given where the first one was revoked too late, and that is delivered', async () => {
    await till.tell([granted('g1'), ago(9)]);
    await deliverOne(store);
    await till.tell([revoked('g1'), ago(8)]);
    await deliverOne(store);
    // What was granted before the revocation is the one that was revoked.
    expect(await till.tell([granted('before'), ago(8)])).toEqual(['duplicate-business-key']);
    expect(await till.tell([granted('g2'), ago(7)], [granted('g3'), ago(6)])).toEqual([
      ...['recorded', 'duplicate-business-key'],
    ]);
    expect(await till.tell([granted('g4'), ago(5)])).toEqual(['duplicate-business-key']);
    expect(await standing()).toEqual(['open or delivered', 'open or delivered', 'open or delivered']);
  });

  it('is given also where the revoked one has left the history by age', async () => {
    await till.tell([granted('g1'), ago(9)]);
    await deliverOne(store);
    await till.tell([revoked('g1'), ago(8)]);
    await deliverOne(store);
    await store.sql(`DO $$ BEGIN
      PERFORM set_config('loyaltyd.retire', 'on', true);
      DELETE FROM intent_event WHERE seq = 1;
      DELETE FROM intent WHERE seq = 1;
    END $$`);
    expect(await till.tell([granted('g2'), ago(7)])).toEqual(['recorded']);
    expect(await till.tell([granted('g3'), ago(6)])).toEqual(['duplicate-business-key']);
  });

  it('is given where a person says that the revocation was carried out', async () => {
    await till.tell([granted('g1'), ago(9)]);
    await deliverOne(store);
    await till.tell([revoked('g1'), ago(8)]);
    const lease = await begin(store, await claimOne(store));
    const unknown: IntentEvent = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: null };
    const parked: IntentEvent = { type: 'IntentParked', at: now, reason: 'unknown-outcome', lane: 'continue' };
    const events = [unknown, parked];
    await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events }) }));
    const place = { laneId: (await laneOf(store, 'a')).lane_id, seq: 2 };
    const audit = { at: now, actor: 'ada', address: null, reason: 'seen at the partner' };
    const action = { kind: 'resolve', as: 'delivered' } as const;
    await new IntentActionRepository(store.database, store.keys.members).act({ place, action, audit });
    expect(await till.tell([granted('g2'), ago(7)])).toEqual(['recorded']);
    expect(await standing()).toEqual(['open or delivered', 'delivered null', 'open or delivered']);
  });

  it('stands in a list as long as the revocation is open', async () => {
    await till.tell([granted('g1'), ago(9)]);
    await deliverOne(store);
    await till.tell([revoked('g1'), ago(8)]);
    expect(await till.tell([granted('g2'), ago(7)])).toEqual(['recorded']);
    expect(await standing()).toEqual(['open or delivered', 'open or delivered', 'parked conflict']);
  });

  it('is none where the revocation was cancelled: the first one stands', async () => {
    await till.tell([granted('g1'), ago(9)]);
    await deliverOne(store);
    await till.tell([revoked('g1'), ago(8)]);
    const place = { laneId: (await laneOf(store, 'a')).lane_id, seq: 2 };
    const audit = { at: now, actor: 'ada', address: null, reason: 'a slip' };
    const action = { kind: 'cancel', isNotDelivered: false } as const;
    await new IntentActionRepository(store.database, store.keys.members).act({ place, action, audit });
    expect(await till.tell([granted('g2'), ago(7)])).toEqual(['duplicate-business-key']);
  });
});
