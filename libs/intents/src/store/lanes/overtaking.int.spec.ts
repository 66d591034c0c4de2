import { extendLanes } from '../batch/place-intents.js';
import type { Lease } from '../../testing/lease.js';
import {
  begin,
  beginOf,
  claimOne,
  completion,
  deliverOne,
  openLanes,
  record,
  stepOf,
  waitForPass,
  whileLocked,
} from '../../testing/lease.js';
import { enrolment, laneOf, now, program, purchase } from '../../testing/records.js';

const { store, till } = await openLanes();

async function wait(lease: Lease, recheckAt = now + 1_000): Promise<void> {
  expect(await record(store, stepOf(lease, { completion: waitForPass(lease, recheckAt) }))).toMatchObject({
    completed: true,
  });
}

/** The sequences that are sent when everything succeeds, in order. */
async function deliverAll(member: string): Promise<number[]> {
  const sent: number[] = [];
  for (let lane = await laneOf(store, member); lane.due_at !== null; lane = await laneOf(store, member)) {
    sent.push(lane.cur_seq);
    await deliverOne(store, { now: now + 3_600_000 });
    if (sent.length > 20) throw new Error('the lane never drains');
  }
  return sent;
}

describe('an enrolment behind a purchase that waits for the pass', () => {
  it('goes first when it is recorded after the waiting began', async () => {
    const member = await till.withPurchases(2);
    await wait(await claimOne(store));
    await till.record(enrolment(`${member}-e`, member));
    expect(await laneOf(store, member)).toMatchObject({
      cur_seq: 3,
      redo: [3],
      head_seq: 1,
      due_at: now,
      state: 'live',
      attempt: 0,
    });
    expect(await deliverAll(member)).toEqual([3, 1, 2]);
    expect(await laneOf(store, member)).toMatchObject({ head_seq: 4, redo: [], ahead: [], due_at: null });
  });

  it('goes first when it was recorded before the waiting began', async () => {
    const member = await till.withPurchases(2);
    await till.record(enrolment(`${member}-e`, member));
    await wait(await claimOne(store));
    expect(await laneOf(store, member)).toMatchObject({
      cur_seq: 3,
      redo: [3],
      due_at: now,
      owner: null,
      state: 'live',
    });
    expect(await deliverAll(member)).toEqual([3, 1, 2]);
  });

  it('goes first when it is recorded while the lease holder asks for the pass', async () => {
    const member = await till.withPurchases(2);
    const lease = await claimOne(store);
    await till.record(enrolment(`${member}-e`, member));
    expect(await laneOf(store, member)).toMatchObject({ cur_seq: 1, redo: [], issue_seq: 3 });
    await wait(lease);
    expect(await deliverAll(member)).toEqual([3, 1, 2]);
  });

  it('goes first when it is recorded while a waiting lane is leased for another look', async () => {
    const member = await till.withPurchases(2);
    await wait(await claimOne(store));
    const again = await claimOne(store, { now: now + 1_000 });
    await till.record(enrolment(`${member}-e`, member));
    expect(await laneOf(store, member)).toMatchObject({ cur_seq: 1, redo: [], state: 'waiting' });
    const still = completion(again, 'wait', { dueAt: now + 9_000 });
    await record(store, stepOf(again, { completion: still }));
    expect(await laneOf(store, member)).toMatchObject({ cur_seq: 3, due_at: now, state: 'live' });
    expect(await deliverAll(member)).toEqual([3, 1, 2]);
  });

  it('goes first when the holder of a waiting lane died', async () => {
    const member = await till.withPurchases(1);
    await wait(await claimOne(store));
    await claimOne(store, { now: now + 1_000 });
    await till.record(enrolment(`${member}-e`, member));
    const takenOver = await claimOne(store, { now: now + 3_600_000 });
    await record(store, stepOf(takenOver, { completion: completion(takenOver, 'wait', { dueAt: now + 3_700_000 }) }));
    expect(await deliverAll(member)).toEqual([2, 1]);
  });

  it('goes first when recording it and recording the waiting meet', async () => {
    const member = await till.withPurchases(1);
    const lease = await claimOne(store);
    const { lane_id: laneId } = await laneOf(store, member);
    const extension = { laneId, program, count: 1, issueRank: 1, highRank: 0, normalRank: 1 };
    const step = stepOf(lease, { completion: waitForPass(lease) });
    const result = await whileLocked(
      store,
      (session) => extendLanes(session, [extension], now),
      () => record(store, step),
    );
    expect(result).toMatchObject({ completed: true });
    expect(await laneOf(store, member)).toMatchObject({
      cur_seq: 2,
      redo: [2],
      due_at: now,
      state: 'live',
      owner: null,
    });
  });

  it('refuses the begin of a holder that has not seen it', async () => {
    const member = await till.withPurchases(1);
    await wait(await claimOne(store));
    const stale = await claimOne(store, { now: now + 1_000 });
    await store.sql('UPDATE lane SET owner = NULL WHERE lane_id = $1', stale.laneId);
    await till.record(enrolment(`${member}-e`, member));
    expect(await record(store, stepOf(stale, { begin: beginOf(1) }))).toMatchObject({ begun: false });
    expect(
      await record(store, stepOf(stale, { completion: completion(stale, 'stay'), begin: beginOf(2) })),
    ).toMatchObject({
      completed: false,
      begun: false,
    });
  });

  it('blocks the lane when it is parked so, and the purchase stays behind it', async () => {
    const member = await till.withPurchases(1);
    await wait(await claimOne(store));
    await till.record(enrolment(`${member}-e`, member));
    const lease = await begin(store, await claimOne(store));
    const event = { type: 'IntentParked', at: now, reason: 'rejected', lane: 'block' } as const;
    await record(store, stepOf(lease, { completion: completion(lease, 'block', { events: [event] }) }));
    expect(await laneOf(store, member)).toMatchObject({ cur_seq: 2, redo: [2], state: 'blocked', due_at: null });
  });

  it('lets the purchase wait again when the pass is still not there, without running in circles', async () => {
    const member = await till.withPurchases(1);
    await till.record(enrolment(`${member}-e`, member));
    await wait(await claimOne(store));
    await deliverOne(store);
    const again = await claimOne(store);
    expect(again.seq).toBe(1);
    await wait(again, now + 5_000);
    expect(await laneOf(store, member)).toMatchObject({
      cur_seq: 1,
      state: 'waiting',
      due_at: now + 5_000,
      ahead: [2],
    });
  });

  it('goes first also when it comes a second time', async () => {
    const member = await till.withPurchases(2);
    await wait(await claimOne(store));
    await till.record(enrolment(`${member}-e`, member));
    await deliverOne(store);
    await wait(await claimOne(store));
    await store.sql('UPDATE member SET generation = 2 WHERE member_id = $1', member);
    await till.record(enrolment(`${member}-e2`, member));
    expect(await laneOf(store, member)).toMatchObject({ cur_seq: 4, redo: [4], ahead: [3], head_seq: 1 });
    expect(await deliverAll(member)).toEqual([4, 1, 2]);
  });
});

async function parkAll(member: string): Promise<number[]> {
  const parked: number[] = [];
  for (let lane = await laneOf(store, member); lane.due_at !== null; lane = await laneOf(store, member)) {
    parked.push(lane.cur_seq);
    const lease = await claimOne(store, { now: now + 3_600_000 });
    const event = { type: 'IntentParked', at: now, reason: 'rejected', lane: 'continue' } as const;
    await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [event] }) }));
    if (parked.length > 20) throw new Error('the lane never drains');
  }
  return parked;
}

describe('a purchase put back behind the head', () => {
  it('waits, and an enrolment goes before it', async () => {
    const member = await till.withPurchases(2);
    expect(await parkAll(member)).toEqual([1, 2]);
    await store.sql(
      "UPDATE lane SET redo = '{1,2}', cur_seq = 1, due_at = to_timestamp($2 / 1000.0), revision = revision + 1 WHERE lane_id = (SELECT lane_id FROM member WHERE member_id = $1)",
      member,
      now,
    );
    await wait(await claimOne(store));
    await till.record(enrolment(`${member}-e`, member));
    expect(await laneOf(store, member)).toMatchObject({ cur_seq: 3, redo: [3, 1, 2], state: 'live' });
    expect(await deliverAll(member)).toEqual([3, 1, 2]);
  });

  it('waits without asking for an enrolment that is behind the head', async () => {
    const member = await till.withPurchases(1);
    await till.record(enrolment(`${member}-e`, member));
    expect(await parkAll(member)).toEqual([1, 2]);
    await store.sql(
      "UPDATE lane SET redo = '{1}', cur_seq = 1, due_at = to_timestamp($2 / 1000.0), revision = revision + 1 WHERE lane_id = (SELECT lane_id FROM member WHERE member_id = $1)",
      member,
      now,
    );
    await wait(await claimOne(store), now + 7_000);
    expect(await laneOf(store, member)).toMatchObject({ cur_seq: 1, redo: [1], state: 'waiting', due_at: now + 7_000 });
  });
});

describe('a refund that waits for its purchase', () => {
  it('is not overtaken by an enrolment when the member has a pass', async () => {
    const member = await till.withPurchases(1);
    await deliverOne(store, { now });
    await till.record(purchase(`${member}-r`, member));
    const lease = await claimOne(store);
    const step = stepOf(lease, { completion: { ...waitForPass(lease, now + 1_000), pass: 'known' } });
    expect(await record(store, step)).toMatchObject({ completed: true });
    await till.record(enrolment(`${member}-e`, member));
    expect(await laneOf(store, member)).toMatchObject({ state: 'waiting', cur_seq: 2, redo: [] });
  });
});
