import type { IntentEvent } from '#intents/core';

import { rebuildLanes } from '../rebuild/rebuild-lanes.js';
import { beginRecovery } from '../recovery/recovery.js';
import type { Lease } from '../../testing/lease.js';
import { begin, claim, claimOne, completion, deliverOne, leaseOf, record, stepOf } from '../../testing/lease.js';
import { laneOf, now, program, purchase, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import type { ActionResult, IntentAction } from './intent-action-repository.js';
import { replaysWithoutForceMax, IntentActionRepository } from './intent-action-repository.js';

let store: TestStore;
let actions: IntentActionRepository;
let till: Till;

beforeAll(async () => {
  store = await testStore(4);
  actions = new IntentActionRepository(store.database, store.keys.members);
  till = new Till(store);
});

afterEach(async () => {
  await store.sql('UPDATE lane SET due_at = NULL, owner = NULL');
});

afterAll(() => store.close());

const audit = { at: now + 5, actor: 'ada', address: '127.0.0.1', reason: 'the cause is mended' };
const rejected: IntentEvent = { type: 'AttemptRejected', at: now, attempt: 1, code: 'refused' };
const lost: IntentEvent = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: null };
const parked = (lane: 'block' | 'continue', reason: 'rejected' | 'unknown-outcome' = 'rejected'): IntentEvent => ({
  type: 'IntentParked',
  at: now,
  reason,
  lane,
});

/** The lane's next intent is tried once, and parked. */
async function park(lane: 'block' | 'continue', why: IntentEvent = rejected): Promise<Lease> {
  const lease = await begin(store, await claimOne(store));
  const reason = why.type === 'AttemptUnknown' ? 'unknown-outcome' : 'rejected';
  const events = [why, parked(lane, reason)];
  const kind = lane === 'block' ? 'block' : 'settle';
  await record(store, stepOf(lease, { completion: completion(lease, kind, { events, dueAt: now }) }));
  return lease;
}

async function act(member: string, seq: number, action: IntentAction): Promise<ActionResult> {
  const place = await actions.find({
    program,
    memberId: member,
    seq,
  });
  if (place === null) throw new Error('no such intent');
  return actions.act({ place, action, audit });
}

async function parkIn(of: TestStore): Promise<void> {
  const lease = await begin(of, await claimOne(of));
  const events = [rejected, parked('continue')];
  await record(of, stepOf(lease, { completion: completion(lease, 'settle', { events }) }));
}

/** Whoever claims the one lane that is due finds that its intent has come to an end. */
async function stepOver(): Promise<void> {
  const lease = await claimOne(store, { now: now + 3_600_000 });
  await record(store, stepOf(lease, { completion: completion(lease, 'settle') }));
}

async function expectRebuiltAlike(member: string): Promise<void> {
  const { lane_id: laneId } = await laneOf(store, member);
  const row = `SELECT version, head_seq, tail_seq, cur_seq, redo, ahead, state FROM lane WHERE lane_id = ${laneId}`;
  const before = await store.sql(row);
  await rebuildLanes(store.owned, now);
  expect(await store.sql(row)).toEqual(before);
}

/** The one lane that is due is tried once more, and its intent parked again. */
async function parkAgain(): Promise<void> {
  const [lane] = await claim(store, { now: now + 3_600_000 });
  if (lane === undefined) throw new Error('no lane is due');
  const state = lane.intents.get(lane.cursor.current)?.state;
  const attempts = state === undefined || state.status === 'absent' ? 0 : state.attempts;
  const lease = await begin(store, leaseOf(lane), attempts + 1);
  const events = [{ ...rejected, attempt: lease.attempt } as IntentEvent, parked('continue')];
  await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events }) }));
}

/** The sequences that are sent from now on when everything succeeds. */
async function deliverAll(member: string): Promise<number[]> {
  const sent: number[] = [];
  for (let lane = await laneOf(store, member); lane.due_at !== null; lane = await laneOf(store, member)) {
    sent.push(lane.cur_seq);
    await deliverOne(store, { now: now + 3_600_000 });
    if (sent.length > 20) throw new Error('the lane never drains');
  }
  return sent;
}

describe('replay', () => {
  it('sends what the lane has left behind once more, before what is still to come', async () => {
    const member = await till.withPurchases(3);
    await park('continue');
    await deliverOne(store);
    expect(await act(member, 1, { kind: 'replay' })).toMatchObject({ kind: 'done', overtaken: 1 });
    expect(await deliverAll(member)).toEqual([1, 3]);
  });

  it('wakes a lane that has nothing else to do', async () => {
    const member = await till.withPurchases(1);
    await park('continue');
    expect((await laneOf(store, member)).due_at).toBeNull();
    await act(member, 1, { kind: 'replay' });
    expect(await deliverAll(member)).toEqual([1]);
  });

  it('lets go on what blocked its lane', async () => {
    const member = await till.withPurchases(2);
    await park('block');
    expect(await act(member, 1, { kind: 'replay' })).toMatchObject({ kind: 'done', overtaken: 0 });
    expect(await deliverAll(member)).toEqual([1, 2]);
  });

  it('waits for the attempt that is under way, and behind what blocks the lane then', async () => {
    const member = await till.withPurchases(2);
    await park('continue');
    const lease = await begin(store, await claimOne(store));
    await act(member, 1, { kind: 'replay' });
    expect(await laneOf(store, member)).toMatchObject({ cur_seq: 2, redo: [1], attempt_open: true });
    const events = [rejected, parked('block')];
    await record(
      store,
      stepOf(lease, { completion: completion(lease, 'block', { events, dueAt: now }), carriesAnswer: true }),
    );
    expect(await laneOf(store, member)).toMatchObject({ cur_seq: 2, redo: [1], state: 'blocked', due_at: null });
    await act(member, 2, { kind: 'resolve', as: 'delivered' });
    // Who claims the lane finds the second settled, and steps over it.
    const claimed = await claimOne(store, { now: now + 3_600_000 });
    await record(store, stepOf(claimed, { completion: completion(claimed, 'settle') }));
    expect(await deliverAll(member)).toEqual([1]);
  });

  it('is done once, however often it is asked for', async () => {
    const member = await till.withPurchases(1);
    await park('continue');
    const results = await Promise.all([1, 2, 3].map(() => act(member, 1, { kind: 'replay' })));
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['done', 'refused', 'refused']);
    expect(await laneOf(store, member)).toMatchObject({ redo: [1] });
  });

  it('is refused for what may have taken effect, until somebody has said that it did not', async () => {
    const member = await till.withPurchases(1);
    await park('continue', lost);
    expect(await act(member, 1, { kind: 'replay' })).toEqual({ kind: 'refused', reason: 'in-doubt' });
    expect(await act(member, 1, { kind: 'resolve', as: 'not-delivered' })).toMatchObject({ kind: 'done' });
    expect(await deliverAll(member)).toEqual([1]);
  });
});

describe('what comes back each time', () => {
  const back = { kind: 'resolve', as: 'not-delivered' } as const;

  /** Put back as often as anybody may, by one way and the other. */
  async function putBackTooOften(): Promise<string> {
    const member = await till.withPurchases(1);
    await park('continue');
    for (let time = 0; time < replaysWithoutForceMax; time += 1) {
      expect(await act(member, 1, time % 2 === 0 ? { kind: 'replay' } : back)).toMatchObject({ kind: 'done' });
      await parkAgain();
    }
    return member;
  }

  const tracesOf = async (member: string): Promise<unknown[]> => {
    const { lane_id: laneId } = await laneOf(store, member);
    return store.sql(`SELECT action, detail FROM operator_action WHERE lane_id = ${laneId} ORDER BY action_id`);
  };

  it('is not sent once more, by whatever word, unless somebody insists; that is in the trace', async () => {
    const member = await putBackTooOften();
    const before = await tracesOf(member);
    for (const action of [{ kind: 'replay' }, back, { kind: 'replay', isForced: false }] as const) {
      expect(await act(member, 1, action)).toEqual({ kind: 'refused', reason: 'replayed-too-often' });
    }
    expect(await tracesOf(member)).toEqual(before);
    expect(before).toHaveLength(replaysWithoutForceMax);
    expect(await act(member, 1, { kind: 'replay', isForced: true })).toMatchObject({ kind: 'done' });
    expect((await tracesOf(member)).at(-1)).toEqual({ action: 'intent.replay', detail: { force: true } });
    await parkAgain();
    expect(await act(member, 1, { ...back, isForced: true })).toMatchObject({ kind: 'done' });
    expect(await deliverAll(member)).toEqual([1]);
  });

  it('can always be settled or given up', async () => {
    const settled = await putBackTooOften();
    expect(await act(settled, 1, { kind: 'resolve', as: 'delivered' })).toMatchObject({ kind: 'done' });
    const givenUp = await putBackTooOften();
    expect(await act(givenUp, 1, { kind: 'cancel' })).toMatchObject({ kind: 'done' });
  });
});

describe('resolve', () => {
  it('settles what was parked without sending anything', async () => {
    const member = await till.withPurchases(2);
    await park('block', lost);
    await act(member, 1, { kind: 'resolve', as: 'delivered' });
    const lane = await laneOf(store, member);
    expect(lane).toMatchObject({ state: 'live' });
    expect(lane.due_at).not.toBeNull();
  });
});

describe('cancel', () => {
  it('regression: takes a word for what may have taken effect, and lets the lane go on', async () => {
    const member = await till.withPurchases(2);
    await park('block', lost);
    expect(await act(member, 1, { kind: 'cancel' })).toEqual({ kind: 'refused', reason: 'in-doubt' });
    expect(await laneOf(store, member)).toMatchObject({ state: 'blocked' });
    const done = { kind: 'done', event: { type: 'IntentCancelled' } };
    expect(await act(member, 1, { kind: 'cancel', isNotDelivered: true })).toMatchObject(done);
    const { lane_id: laneId } = await laneOf(store, member);
    expect(await store.sql(`SELECT action, detail FROM operator_action WHERE lane_id = ${laneId}`)).toEqual([
      { action: 'intent.cancel', detail: { notDelivered: true } },
    ]);
    await stepOver();
    expect(await deliverAll(member)).toEqual([2]);
    await expectRebuiltAlike(member);
  });

  it('sends nothing where the lane has gone on long since', async () => {
    const member = await till.withPurchases(2);
    await park('continue', lost);
    await deliverOne(store);
    await act(member, 1, { kind: 'cancel', isNotDelivered: true });
    await stepOver();
    expect(await deliverAll(member)).toEqual([]);
    await expectRebuiltAlike(member);
  });

  it.each(['pending', 'parked'])(
    'regression: takes a word for what is %s and a lost history may have sent',
    async (status) => {
      const restored = await testStore(4);
      try {
        await new Till(restored).record(purchase('p1', 'a'));
        if (status === 'parked') await parkIn(restored);
        await beginRecovery(restored.database, { recoveredFrom: now + 60_000, lostUntil: null, now: now + 120_000 });
        const place = { laneId: (await laneOf(restored, 'a')).lane_id, seq: 1 };
        const cancel = (isNotDelivered: boolean): Promise<ActionResult> => {
          const action = { kind: 'cancel', isNotDelivered } as const;
          return new IntentActionRepository(restored.database, restored.keys.members).act({ place, action, audit });
        };
        expect(await cancel(false)).toEqual({ kind: 'refused', reason: 'in-doubt' });
        expect(await cancel(true)).toMatchObject({ kind: 'done', event: { type: 'IntentCancelled' } });
      } finally {
        await restored.close();
      }
    },
  );
});

describe('every action', () => {
  it('leaves a trace with who, why and from where; a refused one does not', async () => {
    const member = await till.withPurchases(1);
    await park('continue');
    await act(member, 1, { kind: 'cancel' });
    expect(await act(member, 1, { kind: 'replay' })).toEqual({ kind: 'refused', reason: 'already-settled' });
    const { lane_id: laneId } = await laneOf(store, member);
    const traces = await store.sql(
      `SELECT action, actor, address, reason, seq FROM operator_action WHERE lane_id = ${laneId}`,
    );
    const { actor, address, reason } = audit;
    expect(traces).toEqual([{ action: 'intent.cancel', actor, address, reason, seq: 1 }]);
  });

  it('cannot be taken out of the record', async () => {
    await expect(store.sql('DELETE FROM operator_action')).rejects.toThrow('23000');
  });
});
