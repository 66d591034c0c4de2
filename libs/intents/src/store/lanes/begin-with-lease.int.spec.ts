import { OPERATIONS } from '#intents/core';

import {
  applied,
  claim,
  completion,
  leaseMs,
  leaseOf,
  openLanes,
  owner,
  record,
  stepOf,
  tryClaim,
} from '../../testing/lease.js';
import { cancelling, enrolment, laneOf, now, program, purchaseKey } from '../../testing/records.js';
import { findBegun } from './claim-lanes.js';
import type { ClaimedLane } from './claimed-lane.js';
import type { Lease } from '../../testing/lease.js';

const { store, till } = await openLanes();

const begins = { max: 64, operations: OPERATIONS };
const withPass = (): Promise<unknown> => store.sql(`UPDATE lane SET pass = 'known' WHERE due_at IS NOT NULL`);
const begun = (lanes: readonly ClaimedLane[]): string[] =>
  lanes.flatMap(({ memberId, begunAt }) => (begunAt === undefined ? [] : [memberId])).toSorted();

/** The lease of a lane of which the claim has begun the first attempt. */
const begunLease = (lane: ClaimedLane): Lease => ({ ...leaseOf(lane), attempt: 1, attemptOpen: true });

describe('a claim that begins', () => {
  it('records the begin with the lease: the attempt is there for all, and the outcome completes it', async () => {
    const member = await till.withPurchases(1);
    await withPass();
    const [lane] = await claim(store, { begins });
    expect(lane).toMatchObject({
      begunAt: now,
      attempt: 0,
      attemptOpen: false,
      openSince: null,
      epoch: 1,
      revision: 0,
    });
    expect(lane!.intents.get(1)?.state).toMatchObject({ status: 'pending', attempts: 0 });
    expect(await laneOf(store, member)).toMatchObject({ attempt: 1, attempt_open: true, epoch: 1, version: 2, owner });
    const history = `SELECT type, version, epoch, attempt FROM intent_history WHERE lane_id = $1 ORDER BY version`;
    expect(await store.sql(history, lane!.laneId)).toEqual([
      { type: 'AttemptBegun', version: 2, epoch: 1, attempt: 1 },
    ]);
    const lease = begunLease(lane!);
    expect(await record(store, stepOf(lease, { completion: applied(lease) }))).toMatchObject({ completed: true });
    expect(await store.sql(history, lane!.laneId)).toMatchObject([
      { type: 'AttemptBegun', version: 2 },
      { type: 'AttemptApplied', version: 3 },
    ]);
  });

  it('is found by whoever claims the lane after its worker died, as any attempt without an outcome', async () => {
    await till.withPurchases();
    await withPass();
    await claim(store, { begins });
    const [again] = await claim(store, { begins, now: now + leaseMs, owner: owner.replace(/1$/, '2') });
    expect(again).toMatchObject({ epoch: 2, attempt: 1, attemptOpen: true, openSince: now });
    expect(again).not.toHaveProperty('begunAt');
    expect(again!.intents.get(1)?.state).toMatchObject({ status: 'delivering', attempt: 1 });
  });

  it('begins no more than it may, the first ones due, of no other operation', async () => {
    const members = [await till.withPurchases(), await till.withPurchases(), await till.withPurchases()];
    const due = `UPDATE lane SET due_at = to_timestamp($2 / 1000.0), pass = 'known'
      WHERE lane_id = (SELECT lane_id FROM member WHERE member_id = $1)`;
    for (const [index, member] of members.entries()) await store.sql(due, member, now - index);
    const lanes = await claim(store, { begins: { ...begins, max: 2 } });
    expect(lanes).toHaveLength(3);
    expect(begun(lanes)).toEqual(members.slice(1).toSorted());
    await till.withPurchases();
    await withPass();
    expect(begun(await claim(store, { begins: { max: 9, operations: ['reward'] } }))).toEqual([]);
    await till.withPurchases();
    await withPass();
    expect(begun(await claim(store))).toEqual([]);
  });

  it('begins nothing that needs a look: without a pass, an enrolment of who may have one, by another programs file', async () => {
    await till.withPurchases();
    expect(begun(await claim(store, { begins }))).toEqual([]);
    await till.record(enrolment('e-first', 'enrols'));
    expect(begun(await claim(store, { begins }))).toEqual(['enrols']);
    await till.record(enrolment('e-second', 'may-have-one'));
    await withPass();
    expect(begun(await claim(store, { begins }))).toEqual([]);
    await till.withPurchases();
    await withPass();
    const planner = { programsHash: 'ff'.repeat(16), plan: ({ command }: { command: never }) => command };
    expect(begun(await claim(store, { begins, planner: planner as never }))).toEqual([]);
  });

  it('begins nothing that has lived through something: voided, tried before, put back', async () => {
    const voided = await till.withPurchases(2);
    await till.record(cancelling(`${voided}-v`, voided, purchaseKey(`${voided}-p2`)));
    await withPass();
    expect(begun(await claim(store, { begins }))).toEqual([]);
    const tried = await till.withPurchases();
    await withPass();
    await store.sql('UPDATE lane SET attempt = 1 WHERE due_at <= to_timestamp($1 / 1000.0)', now);
    expect(begun(await claim(store, { begins }))).toEqual([]);
    expect(await laneOf(store, tried)).toMatchObject({ attempt: 1, attempt_open: false });
    await till.withPurchases();
    await store.sql(`UPDATE lane SET pass = 'known', state = 'waiting' WHERE due_at <= to_timestamp($1 / 1000.0)`, now);
    expect(begun(await claim(store, { begins }))).toEqual([]);
  });

  it('begins nothing for a member whose key was destroyed, nor what an erasure covers', async () => {
    const keyless = await till.withPurchases();
    await store.sql(
      'DELETE FROM member_key WHERE lane_id = (SELECT lane_id FROM member WHERE member_id = $1)',
      keyless,
    );
    const erased = await till.withPurchases();
    await store.sql('UPDATE member SET erased_seq = 1 WHERE member_id = $1', erased);
    await withPass();
    const lanes = await claim(store, { begins });
    expect(lanes).toHaveLength(2);
    expect(begun(lanes)).toEqual([]);
  });

  it('that was voided meanwhile, and not sent, is not applied, and in no doubt: the next claim finds it to be cancelled', async () => {
    const member = await till.withPurchases();
    await withPass();
    const [lane] = await claim(store, { begins });
    await till.record(cancelling(`${member}-v`, member, purchaseKey(`${member}-p1`)));
    const lease = begunLease(lane!);
    const retryAt = now + 1_000;
    const event = {
      type: 'AttemptNotApplied',
      at: now,
      attempt: 1,
      code: 'withdrawn',
      answered: false,
      retryAt,
    } as const;
    const withdrawal = completion(lease, 'retry', { events: [event], dueAt: retryAt });
    expect(await record(store, stepOf(lease, { completion: withdrawal }))).toMatchObject({ completed: true });
    const [again] = await claim(store, { begins, now: retryAt });
    expect(again).not.toHaveProperty('begunAt');
    const { state } = again!.intents.get(1)!;
    expect(state).toMatchObject({ status: 'pending', attempts: 1, doubts: [], hadUnknown: false });
    expect(state).not.toHaveProperty('cancelRequest', null);
  });

  it('brings what it has begun and cannot open, so that it is withdrawn', async () => {
    const damaged = await till.withPurchases();
    await withPass();
    const { lane_id: laneId } = await laneOf(store, damaged);
    await store.sql("UPDATE member_key SET wrapped_key = wrapped_key || '\\x00' WHERE lane_id = $1", laneId);
    const { lanes, unreadable } = await tryClaim(store, { begins });
    expect(unreadable).toMatchObject([{ laneId }]);
    expect(lanes).toMatchObject([{ laneId, key: null, begunAt: now }]);
    expect(lanes[0]!.intents.get(1)).toMatchObject({ command: null, operation: 'transaction' });
  });
});

describe('what a claim has begun that was not answered', () => {
  const leaseUntil = now + leaseMs;
  const find = (by = owner, until = leaseUntil): ReturnType<typeof findBegun> =>
    findBegun(store.database, { program, now, leaseUntil: until, owner: by }, store.newMemberKeys());

  it('is found by whose it was and its lease, and as it would have been brought', async () => {
    await till.withPurchases(2);
    await till.withPurchases();
    await withPass();
    const lanes = await claim(store, { begins });
    const { lanes: found } = await find();
    const comparable = (each: readonly ClaimedLane[]): unknown => each.toSorted((a, b) => a.laneId - b.laneId);
    expect(comparable(found)).toEqual(comparable(lanes));
    expect((await find(owner.replace(/1$/, '2'))).lanes).toEqual([]);
    expect((await find(owner, leaseUntil + 1)).lanes).toEqual([]);
  });

  it('is nothing that was not begun, has got its outcome, or has a revision that nobody has read', async () => {
    await till.withPurchases();
    await claim(store, { begins });
    expect((await find()).lanes).toEqual([]);
    const member = await till.withPurchases();
    await withPass();
    await store.sql('UPDATE lane SET due_at = NULL WHERE owner IS NOT NULL');
    const [lane] = await claim(store, { begins });
    await till.record(cancelling(`${member}-v`, member, purchaseKey(`${member}-p1`)));
    expect((await find()).lanes).toEqual([]);
    const lease = begunLease(lane!);
    await record(store, stepOf(lease, { completion: applied(lease) }));
    expect((await find()).lanes).toEqual([]);
  });
});
