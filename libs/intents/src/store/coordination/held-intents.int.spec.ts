import type { HoldTarget, IntentEvent, RoutedIntent } from '#intents/core';

import { claim, claimOne, completion, deliverOne, leaseOf, openLanes, record, stepOf } from '../../testing/lease.js';
import type { TestEvent } from '../../testing/records.js';
import {
  cancelling,
  historyOf,
  laneOf,
  leaving,
  newMember,
  now,
  program,
  purchase,
  purchaseKey,
  transactionIntent,
} from '../../testing/records.js';
import { deferredRange, deferredUntil, notHeldRanges } from './deferred-lanes.js';
import { recallHeld, releaseHeld } from './held-intents.js';

const { store, till } = await openLanes();
const hold: HoldTarget = { operation: 'transaction', factor: 'store:berlin-07' };
const { members: keys } = store.keys;

function held(at: number | null, { operation, factor }: HoldTarget = hold): IntentEvent {
  const heldUntil = deferredUntil({ operation, factor }, at);
  return { type: 'IntentParked', at: now, reason: 'held', lane: 'continue', heldBy: factor ?? '', heldUntil };
}

/** The one lane's current intent steps aside; the lane goes on with the next one. */
async function stepAside(event: IntentEvent = held(now)): Promise<void> {
  const lease = await claimOne(store);
  await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [event] }) }));
}

const release = (holds: readonly HoldTarget[] = []): Promise<number> =>
  releaseHeld(store.database, { targets: notHeldRanges(holds).map((range) => ({ program, ...range })), now }, keys);

const recall = (range = deferredRange(hold).fresh): Promise<number> =>
  recallHeld(store.database, { targets: [{ program, ...range }], now }, keys);

async function standings(member: string): Promise<string[]> {
  const { lane_id: laneId } = await laneOf(store, member);
  const rows = await store.sql<{ seq: number; status: string; reason: string; code: string | null }>(
    'SELECT seq, status, reason, code FROM intent_standing WHERE lane_id = $1 ORDER BY seq',
    laneId,
  );
  return rows.map(({ seq, status, reason, code }) => `${seq} ${status} ${reason} ${code ?? '-'}`);
}

/** A refund of the purchase `of`. */
function refund(id: string, member: string, of: string): TestEvent {
  const event = purchase(id, member);
  const intent: RoutedIntent = transactionIntent(member, id, { waitsFor: purchaseKey(of), facts: {} });
  return { ...event, type: 'loyalty.purchase.refunded.v1', verdict: { ...event.verdict, intents: [intent] } };
}

/** Nothing of a spec is held when the next one begins. */
afterEach(async () => {
  while ((await release()) > 0);
  await store.sql('UPDATE lane SET due_at = NULL');
});

describe('what steps aside for a hold', () => {
  it('stands in the lists with what holds it, and its lane goes on', async () => {
    const member = await till.withPurchases(3);
    await stepAside();
    await deliverOne(store);
    expect(await standings(member)).toEqual(['1 parked held store:berlin-07']);
    expect(await laneOf(store, member)).toMatchObject({ head_seq: 3, cur_seq: 3, redo: [], state: 'live' });
  });

  it('comes back before what has not been sent, all of its lane in its order, when that is held no more', async () => {
    const member = await till.withPurchases(5);
    await stepAside(held(now + 9_000));
    await deliverOne(store);
    await stepAside(held(null));
    await deliverOne(store);
    expect(await release([hold])).toBe(0);
    expect(await laneOf(store, member)).toMatchObject({ cur_seq: 5, redo: [] });
    expect(await release()).toBe(2);
    expect(await laneOf(store, member)).toMatchObject({ cur_seq: 1, redo: [1, 3], head_seq: 5, due_at: now });
    expect(await standings(member)).toEqual([]);
    for (let sent = 0; sent < 3; sent += 1) await deliverOne(store);
    expect((await historyOf(store, member)).filter((line) => line.endsWith('Applied'))).toEqual(
      [2, 4, 1, 3, 5].map((seq) => `${seq} AttemptApplied`),
    );
  });

  it('stays where something else holds it', async () => {
    const member = await till.withPurchases(2);
    const other = { operation: 'transaction', factor: 'source:/till' } as const;
    await stepAside(held(now, other));
    await stepAside(held(now));
    await release([other]);
    expect(await standings(member)).toEqual(['1 parked held source:/till']);
  });

  it('comes back once, whoever looks at the same time', async () => {
    const member = await till.withPurchases(2);
    await stepAside();
    await Promise.all([release(), release(), recall()]);
    const lines = await historyOf(store, member);
    expect(lines.filter((line) => line === '1 IntentReplayed')).toHaveLength(1);
  });

  it('comes back while another process works on its lane: that one has to read it before it begins anything else', async () => {
    const member = await till.withPurchases(3);
    await stepAside();
    const lease = await claimOne(store);
    await release();
    expect(await record(store, stepOf(lease, { begin: { ...begun, seq: lease.seq } }))).toMatchObject({ begun: false });
    expect(await laneOf(store, member)).toMatchObject({ cur_seq: 1, redo: [1] });
  });

  it('is found by pages: many lanes come back, some at a time', async () => {
    const members = Array.from({ length: 60 }, () => newMember());
    await till.record(...members.map((member) => purchase(`${member}-p`, member)));
    const lanes = await claim(store);
    for (const lane of lanes.map(leaseOf)) {
      await record(store, stepOf(lane, { completion: completion(lane, 'settle', { events: [held(now)] }) }));
    }
    expect([await release(), await release(), await release()]).toEqual([50, 10, 0]);
    for (const member of members) expect(await standings(member)).toEqual([]);
  });
});

const begun = { attempt: 1, before: null, leaseUntil: now + 9_000, sendBy: now } as const;

describe('one that is to be tried', () => {
  it('is the first of its lane, of the lane that stepped aside last', async () => {
    const older = await till.withPurchases();
    await stepAside(held(now));
    const newer = await till.withPurchases(2);
    await stepAside(held(now + 1_000));
    await stepAside(held(now + 2_000));
    expect(await recall()).toBe(1);
    expect(await standings(older)).toHaveLength(1);
    expect(await standings(newer)).toEqual(['2 parked held store:berlin-07']);
    expect(await laneOf(store, newer)).toMatchObject({ cur_seq: 1 });
  });

  it('is none of a lane of which one has failed since, unless such a one is asked for', async () => {
    const member = await till.withPurchases();
    await stepAside(held(null));
    expect(await recall()).toBe(0);
    const { from } = deferredRange(hold);
    expect(await recall({ from, to: from })).toBe(1);
    expect(await standings(member)).toEqual([]);
  });
});

describe('what stands behind a sale that stepped aside', () => {
  const behind = (laneId: number): IntentEvent => {
    return { type: 'IntentParked', at: now, reason: 'held', lane: 'continue', awaits: { laneId, seq: 1 } };
  };

  it('comes back with it, after it', async () => {
    const member = newMember();
    await till.record(purchase(`${member}-p`, member), refund(`${member}-r`, member, `${member}-p`));
    const { lane_id: laneId } = await laneOf(store, member);
    await stepAside();
    await stepAside(behind(laneId));
    await release();
    expect(await laneOf(store, member)).toMatchObject({ cur_seq: 1, redo: [1, 2] });
  });

  it('comes back where the sale is voided: it is then decided on for itself', async () => {
    const member = newMember();
    await till.record(purchase(`${member}-p`, member), refund(`${member}-r`, member, `${member}-p`));
    const { lane_id: laneId } = await laneOf(store, member);
    await stepAside();
    await stepAside(behind(laneId));
    await till.record(cancelling(`${member}-v`, member, purchaseKey(`${member}-p`)));
    expect(await standings(member)).toEqual(['1 cancelled voided -']);
    expect(await laneOf(store, member)).toMatchObject({ cur_seq: 2, redo: [2] });
  });
});

describe('a member whose sale stepped aside', () => {
  it('is told nothing of what happened after they left, and all of what happened before', async () => {
    const member = newMember();
    const [before, after] = ['before', 'after'].map((name) => purchase(`${member}-${name}`, member));
    await till.tell([before!, now - 9_000], [after!, now - 1_000]);
    await stepAside();
    await stepAside();
    await till.tell([leaving(`${member}-l`, member), now - 5_000]);
    expect(await standings(member)).toEqual(['1 parked held store:berlin-07', '2 cancelled opted-out -']);
    await release();
    expect(await laneOf(store, member)).toMatchObject({ cur_seq: 1, redo: [1] });
  });

  it('is erased with it: it never comes back', async () => {
    const member = await till.withPurchases();
    await stepAside();
    await till.record(leaving(`${member}-l`, member, true));
    expect(await standings(member)).toContain('1 cancelled opted-out -');
    expect(await release()).toBe(0);
  });
});
