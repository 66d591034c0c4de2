import type {
  BusinessKey,
  CancelRequest,
  IntentEvent,
  PartnerCommand,
  RewardCommand,
  RoutedIntent,
} from '#intents/core';

import { begin, claimOne, completion, deliverOne, record, stepOf } from '../../testing/lease.js';
import type { TestEvent } from '../../testing/records.js';
import { cancelling, laneOf, merging, now, program, Till, transactionIntent } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import type { CorrectionResult, RevisedCommand } from '../operator/intent-action-repository.js';
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

const pass = { brandId: '101', programId: '2001', uniqueId: 'a', uniqueIdKey: 'memberId' };

function rewardIntent(rewardId: string, change: Partial<RoutedIntent>): RoutedIntent {
  const { command: _command, facts: _facts, total: _total, ...intent } = transactionIntent('a', '');
  const command: RewardCommand = { ...pass, operation: 'reward', rewardId };
  return { ...intent, operation: 'reward', command, facts: {}, ...change };
}

function goodUntil(at: number): Partial<RoutedIntent> {
  const validUntil = new Date(at).toISOString();
  return { command: { ...pass, operation: 'reward', rewardId: '9001', validUntil }, facts: { validUntil } };
}

/** A reward that a member gets once for the autumn campaign. */
function granted(grantId: string, validUntil?: number): TestEvent {
  const alias = { key: campaign, content: 'cake' };
  const identity = { businessKey: keyOf('grant', grantId), businessContent: grantId, alias };
  const intent = rewardIntent('9001', { ...identity, ...(validUntil !== undefined && goodUntil(validUntil)) });
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

/** Goes on behind what is recorded parked. */
async function stepOver(member: string): Promise<void> {
  const { lane_id: laneId } = await laneOf(store, member);
  const lease = await claimOne(store);
  expect(lease.laneId).toBe(laneId);
  await record(store, stepOf(lease, { completion: completion(lease, 'settle') }));
}

async function park(reason: 'expired' | 'rejected'): Promise<void> {
  const lease = await claimOne(store);
  const parked: IntentEvent = { type: 'IntentParked', at: now, reason, lane: 'continue' };
  await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [parked] }) }));
}

/** A person makes that grant good for longer. */
async function extend(seq: number): Promise<CorrectionResult> {
  const place = { laneId: (await laneOf(store, 'a')).lane_id, seq };
  const audit = { at: now, actor: 'ada', address: null, reason: 'a long outage' };
  const revise = (current: PartnerCommand | null): RevisedCommand => {
    const command = { ...current, validUntil: new Date(now + minuteMs).toISOString() } as PartnerCommand;
    return { command, changed: ['validUntil'], privileged: [] };
  };
  return new IntentActionRepository(store.database, store.keys.members).correct({ place, revise, audit });
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
    // What nobody needs to look at any more, and no correction brings back.
    expect(await standing()).toEqual(['cancelled granted-anew', 'open or delivered']);
  });

  it('regression: is given once where somebody makes the first one, which expired, good for longer', async () => {
    await till.tell([granted('g1', ago(1)), ago(9)]);
    await park('expired');
    await till.tell([granted('g2'), ago(7)]);
    expect(await extend(1)).toEqual({ kind: 'refused', reason: 'already-settled' });
  });

  it('regression: is given where the first one is past its time and has not parked as that yet', async () => {
    await till.tell([granted('g1', ago(1)), ago(9)]);
    expect(await till.tell([granted('g2', now + 1), ago(7)])).toEqual(['recorded']);
    expect(await standing()).toEqual(['cancelled granted-anew', 'open or delivered']);
    expect(await till.tell([granted('g3'), ago(6)])).toEqual(['duplicate-business-key']);
  });

  it('regression: is given where the first one stands in a list, and is past its time', async () => {
    await till.tell([granted('g1', ago(1)), ago(9)]);
    await park('rejected');
    expect(await till.tell([granted('g2'), ago(7)])).toEqual(['recorded']);
  });

  it('is none where somebody has made the first one good for longer', async () => {
    await till.tell([granted('g1', ago(1)), ago(9)]);
    expect(await extend(1)).toMatchObject({ kind: 'done' });
    expect(await till.tell([granted('g2'), ago(7)])).toEqual(['duplicate-business-key']);
  });

  it('regression: stands in a list where the first one is past its time, and may have been given', async () => {
    await till.tell([granted('g1', ago(1)), ago(9)]);
    await begin(store, await claimOne(store));
    expect(await till.tell([granted('g2'), ago(7)])).toEqual(['recorded']);
    expect(await standing()).toEqual(['open or delivered', 'parked conflict']);
    expect(await till.tell([granted('g3'), ago(6)])).toEqual(['duplicate-business-key']);
  });

  it('is none where the first one was given, and is past its time since', async () => {
    await till.tell([granted('g1', ago(1)), ago(9)]);
    await deliverOne(store);
    expect(await till.tell([granted('g2'), ago(7)])).toEqual(['duplicate-business-key']);
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

  describe('and revoked while its member lived on in another one', () => {
    /** Granted to `a`, delivered, and revoked while `b` had absorbed them; then separated. */
    async function revokedInMerge(settle: () => Promise<void>): Promise<void> {
      await till.tell([granted('g1'), ago(9)]);
      await deliverOne(store);
      await till.tell([merging('m', 'b', 'a'), ago(9)]);
      await stepOver('b');
      await till.tell([revoked('g1'), ago(8)]);
      await settle();
      await till.tell([merging('u', 'b', 'a', true), ago(8)]);
      await stepOver('b');
    }

    it('is given where that is delivered', async () => {
      await revokedInMerge(() => deliverOne(store));
      expect(await till.tell([granted('g2'), ago(7)])).toEqual(['recorded']);
      expect(await till.tell([granted('g3'), ago(6)])).toEqual(['duplicate-business-key']);
    });

    it('is given also where the revoked one has left the history by age', async () => {
      await revokedInMerge(() => deliverOne(store));
      const { lane_id: laneId } = await laneOf(store, 'a');
      await store.sql(`DO $$ BEGIN
        PERFORM set_config('loyaltyd.retire', 'on', true);
        DELETE FROM intent_event WHERE lane_id = ${laneId};
        DELETE FROM intent WHERE lane_id = ${laneId};
      END $$`);
      expect(await till.tell([granted('g2'), ago(7)])).toEqual(['recorded']);
    });

    it('stands in a list as long as that is open', async () => {
      await revokedInMerge(async () => undefined);
      expect(await till.tell([granted('g2'), ago(7)])).toEqual(['recorded']);
      expect((await standing()).filter((each) => each.includes('conflict'))).toHaveLength(1);
    });
  });
});
