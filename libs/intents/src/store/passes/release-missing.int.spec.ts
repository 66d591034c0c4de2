import type { EventPlanner, IntentEvent } from '#intents/core';

import { applied, begin, claimOne, completion, openLanes, record, stepOf, waitForPass } from '../../testing/lease.js';
import type { TimedEvent } from '../../testing/records.js';
import { enrolment, laneOf, merging, now, program, purchase } from '../../testing/records.js';
import { recordLateOutcomes } from '../lanes/record-late-outcomes.js';
import { IntentActionRepository } from '../operator/intent-action-repository.js';
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
async function adopt(member: string, sendsKept = false): Promise<void> {
  const [row] = await store.sql<{ lane_id: number; wrapped_key: Buffer }>(
    'SELECT lane_id, wrapped_key FROM member_key JOIN member USING (lane_id) WHERE member_id = $1',
    member,
  );
  const laneId = row!.lane_id;
  const key = store.keys.members.learn(laneId, row!.wrapped_key);
  const place = { brandId: '1', programId: '2' };
  const request = {
    program,
    place,
    passes: [{ laneId, key, pass: { passId: laneId } }],
    job: 'j',
    page: 1,
    now: later,
    sendsKept,
  };
  await store.database.transaction('adopt', (session) => adoptPasses(session, request, store.keys));
}

/** The enrolment that is current parks for its doubt. @returns its place */
async function leaveInDoubt(): Promise<{ laneId: number; seq: number }> {
  const lease = await begin(store, await claimOne(store, { now: later }));
  const unknown: IntentEvent = { type: 'AttemptUnknown', at: later, attempt: 1, code: 'unproven-200', checkAt: null };
  const parked: IntentEvent = { type: 'IntentParked', at: later, reason: 'unknown-outcome', lane: 'continue' };
  await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [unknown, parked] }) }));
  return { laneId: lease.laneId, seq: lease.seq };
}

type Settle = (place: { laneId: number; seq: number }, sendsKept: boolean) => Promise<void>;

const audit = { at: later, actor: 'ada', address: null, reason: 'seen at the partner' };
const actions = new IntentActionRepository(store.database, store.keys.members);

/** How others than the lane's owner learn that an enrolment in doubt is there. */
const waysToLearn: readonly (readonly [string, Settle])[] = [
  [
    'a late answer',
    async ({ laneId, seq }, sendsKept) => {
      const event = { type: 'LateOutcome', at: later, attempt: 1, outcome: 'applied', code: 'applied' } as const;
      const late = { key: null, laneId, epoch: 1, seq, event, evidence: null, sendsKept };
      expect(await recordLateOutcomes(store.database, [late], store.keys)).toBe(1);
    },
  ],
  [
    'a person’s word',
    async (place, sendsKept) => {
      const planner = { sendsKept: () => sendsKept } as unknown as EventPlanner;
      const action = { kind: 'resolve', as: 'delivered' } as const;
      expect(await actions.act({ place, action, audit, planner })).toMatchObject({ kind: 'done' });
    },
  ],
  [
    'an answer that the dialect reads otherwise now',
    async (place, sendsKept) => {
      const proven = [{ ...place, attempt: 1, evidence: '{}' }];
      const settled = await store.database.transaction('reread', (session) =>
        actions.settleReread(session, { proven, job: 'j', audit, sendsKept }),
      );
      expect(settled).toHaveLength(1);
    },
  ],
];

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
    await adopt(member);
    expect(await deliverAll(member)).toEqual([1]);
  });

  it.each(waysToLearn)('regression: are sent in their order by %s that the enrolment is there', async (_by, settle) => {
    const member = await withParked(2);
    await till.record(enrolment(`${member}-e`, member), purchase(`${member}-p3`, member));
    await settle(await leaveInDoubt(), false);
    expect(await deliverAll(member)).toEqual([1, 2, 4]);
  });

  it('regression: are sent once the merge is taken back in which their card came', async () => {
    const member = await withParked(1);
    const at = (event: TimedEvent[0], minute: number): TimedEvent => [event, now + minute * 60_000];
    await till.tell(at(enrolment(`${member}-e`, member), 1));
    const lease = await begin(store, await claimOne(store, { now: later }));
    const survivor = `${member}-b`;
    const settle = (): Promise<unknown> =>
      store.sql(
        'UPDATE lane SET due_at = NULL FROM member m WHERE m.lane_id = lane.lane_id AND member_id = $1',
        survivor,
      );
    await till.tell(at(merging(`${member}-m`, survivor, member), 2));
    await settle();
    await record(store, stepOf(lease, { completion: { ...applied(lease), gotPass: { sendsKept: false } } }));
    expect(await deliverAll(member)).toEqual([]);
    await till.tell(at(merging(`${member}-u`, survivor, member, true), 3));
    await settle();
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

  it.each(waysToLearn)(
    'regression: are sent where the program says so, by %s that the enrolment is there',
    async (_by, settle) => {
      for (const sendsKept of [true, false]) {
        const member = await withKept();
        await settle(await leaveInDoubt(), sendsKept);
        expect(await deliverAll(member)).toEqual(sendsKept ? [1] : []);
      }
    },
  );

  it('regression: are sent where the program says so, and a listing shows the card', async () => {
    const member = await withKept();
    await leaveInDoubt();
    await adopt(member, true);
    expect(await deliverAll(member)).toEqual([1]);
  });
});
