import type { IntentEvent } from '#intents/core';

import {
  begin,
  beginOf,
  claim,
  claimOne,
  completion,
  leaseOf,
  openLanes,
  record,
  stepOf,
  whileLocked,
} from '../../testing/lease.js';
import { historyOf, laneOf, now } from '../../testing/records.js';
import { evidencePlace } from '../keys/member-keys.js';
import { lockLanes } from './lane-locks.js';
import type { LateOutcome } from './record-late-outcomes.js';
import { recordLateOutcomes } from './record-late-outcomes.js';

const { store, till } = await openLanes();

const someKey = new Uint8Array(32).fill(9);

function late(laneId: number, change: Partial<LateOutcome> = {}): LateOutcome {
  const event = { type: 'LateOutcome', at: now, attempt: 1, outcome: 'applied', code: 'applied' } as const;
  return { key: someKey, laneId, epoch: 1, seq: 1, event, evidence: '{"status":200}', ...change };
}

/** A worker began, lost its lease, and another one holds the lane now. */
async function takenOver(): Promise<{ member: string; laneId: number; heir: Awaited<ReturnType<typeof claimOne>> }> {
  const member = await till.withPurchases();
  const { laneId } = await begin(store, await claimOne(store));
  return { member, laneId, heir: await claimOne(store, { now: now + 3_600_000 }) };
}

const parkedAt = { type: 'IntentParked', at: now, reason: 'unknown-outcome', lane: 'continue' } as const;

function lostBy(attempt: number): IntentEvent {
  return { type: 'AttemptUnknown', at: now, attempt, code: 'worker-lost', checkAt: null };
}

const lateOnes = async (member: string): Promise<number> =>
  (await historyOf(store, member)).filter((line) => line.endsWith('LateOutcome')).length;

describe('a late outcome', () => {
  it('is appended under its own epoch, sealed, and leaves the lane to its heir', async () => {
    const { member, laneId } = await takenOver();
    const before = await laneOf(store, member);
    expect(await recordLateOutcomes(store.database, [late(laneId)], store.keys)).toBe(1);
    expect(await laneOf(store, member)).toEqual({
      ...before,
      version: before.version + 1,
      revision: before.revision + 1,
    });
    const [row] = await store.sql<{ version: number; epoch: number; attempt: number; data: object; sealed: Buffer }>(
      "SELECT version, epoch, attempt, data, sealed FROM intent_history WHERE type = 'LateOutcome' AND lane_id = $1",
      laneId,
    );
    expect(row).toMatchObject({ epoch: 1, attempt: 1, data: { outcome: 'applied', code: 'applied' } });
    const place = { ...row!, laneId, seq: 1, type: 'LateOutcome', key: someKey };
    expect(store.keys.members.openFor(evidencePlace(place), row!.sealed)).toBe('{"status":200}');
  });

  it('refuses the next begin of a holder that has not read it', async () => {
    await till.withPurchases();
    const lease = await claimOne(store);
    await recordLateOutcomes(store.database, [late(lease.laneId, { epoch: 0 })], store.keys);
    expect(await record(store, stepOf(lease, { begin: beginOf(1) }))).toMatchObject({ begun: false });
    const [again] = await claim(store, { now: now + 3_600_000 });
    expect(await record(store, stepOf(leaseOf(again!), { begin: beginOf(1) }))).toMatchObject({ begun: true });
  });

  it('ends the lease that its own attempt is open under: nothing of it is under way any more', async () => {
    const member = await till.withPurchases();
    const { laneId } = await begin(store, await claimOne(store));
    await recordLateOutcomes(store.database, [late(laneId, { epoch: 0 })], store.keys);
    expect((await laneOf(store, member)).due_at).not.toBe(now);
    await recordLateOutcomes(store.database, [late(laneId)], store.keys);
    expect(await laneOf(store, member)).toMatchObject({ due_at: now, attempt_open: true });
  });

  it('is appended once, however often it is told', async () => {
    const { member, laneId } = await takenOver();
    const told = [late(laneId), late(laneId)];
    expect(await recordLateOutcomes(store.database, told, store.keys)).toBe(1);
    expect(await recordLateOutcomes(store.database, told, store.keys)).toBe(0);
    expect(await lateOnes(member)).toBe(1);
  });

  it('is appended once when two tell it at the same time', async () => {
    const { member, laneId } = await takenOver();
    const tell = (): Promise<number> => recordLateOutcomes(store.database, [late(laneId)], store.keys);
    const counts = await whileLocked(
      store,
      (session) => lockLanes(session, [laneId]),
      () => Promise.all([tell(), tell()]),
    );
    expect(counts.toSorted()).toEqual([0, 1]);
    expect(await lateOnes(member)).toBe(1);
  });

  it('is told apart by lane, sequence, attempt and epoch', async () => {
    const [one, other] = [await takenOver(), await takenOver()];
    const secondAttempt = { ...late(one.laneId).event, attempt: 2 } as LateOutcome['event'];
    const told = [
      late(one.laneId),
      late(one.laneId, { epoch: 2 }),
      late(one.laneId, { event: secondAttempt }),
      late(other.laneId, { evidence: null }),
    ];
    expect(await recordLateOutcomes(store.database, told.toReversed(), store.keys)).toBe(4);
    expect([await lateOnes(one.member), await lateOnes(other.member)]).toEqual([3, 1]);
  });

  it('of a lane that does not exist is dropped', async () => {
    store.keys.members.create(999_999);
    expect(await recordLateOutcomes(store.database, [late(999_999)], store.keys)).toBe(0);
  });

  it('of an applied attempt settles the intent that a person was to look at, and its lane goes on', async () => {
    const { member, laneId, heir } = await takenOver();
    const parked = completion(heir, 'block', { events: [lostBy(1), { ...parkedAt, lane: 'block' }] });
    await record(store, stepOf(heir, { completion: parked }));
    expect(await laneOf(store, member)).toMatchObject({ state: 'blocked', due_at: null });
    await recordLateOutcomes(store.database, [late(laneId)], store.keys);
    expect((await historyOf(store, member)).slice(-2)).toEqual(['1 LateOutcome', '1 VerifiedApplied']);
    expect(await laneOf(store, member)).toMatchObject({ state: 'live', due_at: now });
  });

  it('refuses what an heir decided about a lost attempt without having read it', async () => {
    const { member, laneId, heir } = await takenOver();
    await recordLateOutcomes(store.database, [late(laneId)], store.keys);
    const parked = completion(heir, 'settle', { events: [lostBy(1), parkedAt] });
    const step = stepOf(heir, { completion: parked, carriesAnswer: false });
    expect(await record(store, step)).toMatchObject({ completed: false });
    expect((await historyOf(store, member)).at(-1)).toBe('1 LateOutcome');
  });
});
