import type { IntentEvent } from '#intents/core';

import { applied, begin, claimOne, completion, openLanes, record, stepOf, waitForPass } from '../../testing/lease.js';
import { enrolment, laneOf, now, program, purchase } from '../../testing/records.js';
import { adoptPasses } from './adopt-passes.js';

const { store, till } = await openLanes();

let names = 0;

const dayMs = 86_400_000;

/** Purchases that have parked for the lack of a pass, as of a member whom nobody has enrolled for a day. */
async function withParked(count: number): Promise<string> {
  names += 1;
  const member = `m${names}`;
  await till.record(...Array.from({ length: count }, (_, index) => purchase(`${member}-p${index + 1}`, member)));
  for (let seq = 1; seq <= count; seq += 1) {
    const at = now + seq * dayMs;
    const waiting = await claimOne(store, { now: at });
    await record(store, stepOf(waiting, { completion: waitForPass(waiting) }));
    const parked: IntentEvent = { type: 'IntentParked', at, reason: 'missing-pass', lane: 'continue' };
    const lease = await claimOne(store, { now: at + dayMs / 2 });
    await record(
      store,
      stepOf(lease, { completion: completion(lease, 'settle', { events: [parked], pass: 'absent' }) }),
    );
  }
  return member;
}

const later = now + 30 * dayMs;

/** Delivers the enrolment that is current, as delivery records it. */
async function deliverEnrolment(sendsKept = false): Promise<void> {
  const lease = await begin(store, await claimOne(store, { now: later }));
  await record(store, stepOf(lease, { completion: { ...applied(lease), gotPass: { sendsKept } } }));
}

/** The sequences that are sent when everything succeeds, in order. */
async function deliverAll(member: string): Promise<number[]> {
  const sent: number[] = [];
  for (let lane = await laneOf(store, member); lane.due_at !== null; lane = await laneOf(store, member)) {
    sent.push(lane.cur_seq);
    const lease = await begin(store, await claimOne(store, { now: later }));
    await record(store, stepOf(lease, { completion: applied(lease) }));
    if (sent.length > 20) throw new Error('the lane never drains');
  }
  return sent;
}

describe('sales that have parked for the lack of a pass', () => {
  it('are sent in their order, and before what is queued, once an enrolment has led to one', async () => {
    const member = await withParked(2);
    await till.record(enrolment(`${member}-e`, member), purchase(`${member}-p3`, member));
    await deliverEnrolment();
    expect(await laneOf(store, member)).toMatchObject({ cur_seq: 1, redo: [1, 2], head_seq: 4, state: 'live' });
    expect(await deliverAll(member)).toEqual([1, 2, 4]);
  });

  it('are sent where a listing shows the pass', async () => {
    const member = await withParked(1);
    const [row] = await store.sql<{ lane_id: number; wrapped_key: Buffer }>(
      'SELECT lane_id, wrapped_key FROM member_key JOIN member USING (lane_id) WHERE member_id = $1',
      member,
    );
    const laneId = row!.lane_id;
    const key = store.keys.members.learn(laneId, row!.wrapped_key);
    const place = { brandId: '1', programId: '2' };
    const request = { program, place, passes: [{ laneId, key, pass: { passId: 1 } }], job: 'j', page: 1, now: later };
    await store.database.transaction('adopt', (session) => adoptPasses(session, request, store.keys));
    expect(await deliverAll(member)).toEqual([1]);
  });

  it('stay where they are while their member has left', async () => {
    const member = await withParked(1);
    await store.sql('UPDATE member SET left_at = now() WHERE member_id = $1', member);
    await till.record(enrolment(`${member}-e`, member));
    await deliverEnrolment();
    expect(await deliverAll(member)).toEqual([]);
  });
});

describe('sales that were kept while their member was away', () => {
  /** One, parked as it was recorded. */
  async function withKept(): Promise<string> {
    names += 1;
    const member = `m${names}`;
    const kept = purchase(`${member}-k`, member);
    const [intent] = kept.verdict.intents;
    const parked = { reason: 'not-a-member', detail: 'the member had left the program' } as const;
    await till.record({ ...kept, verdict: { ...kept.verdict, intents: [{ ...intent!, parked }] } });
    const lease = await claimOne(store, { now: now + 1 });
    await record(store, stepOf(lease, { completion: completion(lease, 'settle') }));
    await till.record(enrolment(`${member}-e`, member));
    return member;
  }

  it.each([
    ['kept', false, []],
    ['sent where the program says so', true, [1]],
  ] as const)('are %s once the member is back', async (_what, sendsKept, sent) => {
    const member = await withKept();
    await deliverEnrolment(sendsKept);
    expect(await deliverAll(member)).toEqual(sent);
  });
});
