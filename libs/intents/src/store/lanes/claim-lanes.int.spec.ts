import {
  begin,
  claim,
  claimOne,
  completion,
  leaseMs,
  leaseOf,
  owner,
  record,
  stepOf,
  tryClaim,
} from '../../testing/lease.js';
import { reportReplica } from '../coordination/replicas.js';
import type { TestEvent } from '../../testing/records.js';
import { cancelling, enrolment, laneOf, now, program, purchase, purchaseKey, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import type { LaneLook } from './claim-lanes.js';
import { nextDueAt } from './claim-lanes.js';
import { claimIntentsPerLaneMax, claimLanesMax, claimStatement } from './claim-statement.js';

let store: TestStore;
let till: Till;

beforeAll(async () => {
  store = await testStore(10);
  till = new Till(store);
});

afterEach(async () => {
  await store.sql('UPDATE lane SET due_at = NULL');
});

afterAll(() => store.close());

async function dueAt(member: string, at: number): Promise<void> {
  const text = `UPDATE lane SET due_at = to_timestamp($2 / 1000.0) WHERE lane_id = (SELECT lane_id FROM member WHERE member_id = $1)`;
  await store.sql(text, member, at);
}

const none = { lanes: 0, firstDueAt: null };
const takenOf = (high: object): Map<number, object> =>
  new Map([
    [0, high],
    [1, none],
    [2, none],
  ]);

describe('a claim', () => {
  it('leases a due lane and brings what is to be sent, opened', async () => {
    const member = await till.withPurchases(1);
    const [lane] = await claim(store);
    expect(lane).toMatchObject({
      ...{ program, memberId: member, epoch: 1, revision: 0, attempt: 0, attemptOpen: false, openSince: null },
      ...{ pass: 'unknown', leaseUntil: now + leaseMs, cursor: { head: 1, tail: 1, current: 1, redo: [], ahead: [] } },
    });
    const intent = lane!.intents.get(1);
    expect(intent).toMatchObject({ seq: 1, operation: 'transaction', recordedAt: now, brokerAt: now - 30_000 });
    expect(intent?.command).toMatchObject({ operation: 'transaction', uniqueId: member, amount: '59.99' });
    expect(intent?.state).toMatchObject({ status: 'pending', recordedAt: now, attempts: 0, hadUnknown: false });
    expect(await laneOf(store, member)).toMatchObject({ due_at: now + leaseMs, epoch: 1, owner });
  });

  it('takes the longest due first, up to the limit', async () => {
    const members = [
      await till.withPurchases(),
      await till.withPurchases(),
      await till.withPurchases(),
      await till.withPurchases(),
    ];
    await dueAt(members[0]!, now - 10);
    await dueAt(members[1]!, now - 40);
    await dueAt(members[2]!, now - 20);
    await dueAt(members[3]!, now - 30);
    const taken = async (limit: number): Promise<string[]> =>
      (await claim(store, { limit })).map(({ memberId }) => memberId).toSorted();
    expect(await taken(2)).toEqual([members[1], members[3]].toSorted());
    expect(await taken(1)).toEqual([members[2]]);
    expect(await taken(2)).toEqual([members[0]]);
  });

  it('leaves what is not due, leased, idle, or of another program', async () => {
    await dueAt(await till.withPurchases(), now + 1);
    await till.withPurchases();
    expect(await claim(store, { program: 'other' })).toEqual([]);
    expect(await claim(store)).toHaveLength(1);
    expect(await claim(store)).toEqual([]);
    expect(await claim(store, { now: now + leaseMs - 1, leaseUntil: now + 2 * leaseMs })).toHaveLength(1);
  });

  it('passes over what is due before the floor, and finds it without one', async () => {
    await dueAt(await till.withPurchases(), now - 5_000);
    expect(await claim(store, { floors: [now - 4_999, null, null] })).toEqual([]);
    expect(await claim(store, { floors: [now - 5_000, null, null] })).toHaveLength(1);
    await dueAt(await till.withPurchases(), 0);
    expect(await claim(store)).toHaveLength(1);
  });

  it('says when the first of what it took was due', async () => {
    await dueAt(await till.withPurchases(), now - 5_000);
    await dueAt(await till.withPurchases(), now - 7_000);
    expect(await tryClaim(store)).toMatchObject({ taken: takenOf({ lanes: 2, firstDueAt: now - 7_000 }) });
    expect(await tryClaim(store)).toMatchObject({ taken: takenOf(none) });
  });

  it('takes over a lane whose lease has ended, with a higher epoch and its open attempt', async () => {
    await till.withPurchases();
    const lost = await begin(store, await claimOne(store));
    expect(await claim(store, { now: now + 2 * leaseMs - 1 })).toEqual([]);
    const [lane] = await claim(store, { now: now + 2 * leaseMs });
    expect(lane).toMatchObject({ epoch: lost.epoch + 1, attempt: 1, attemptOpen: true, openSince: now });
    expect(lane!.intents.get(1)?.state).toMatchObject({ status: 'delivering', attempt: 1 });
    expect(await record(store, stepOf(lost, { completion: completion(lost, 'settle') }))).toMatchObject({
      completed: false,
    });
  });

  it('brings the next intents of a hot lane, and the current one from behind the head', async () => {
    const member = await till.withPurchases(claimIntentsPerLaneMax + 3);
    const [lane] = await claim(store);
    expect([...lane!.intents.keys()].toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: claimIntentsPerLaneMax }, (_, index) => index + 1),
    );
    const { lane_id: laneId } = await laneOf(store, member);
    await store.sql(
      "UPDATE lane SET head_seq = 18, redo = '{2}', cur_seq = 2, due_at = NULL WHERE lane_id = $1",
      laneId,
    );
    await dueAt(member, now);
    const [again] = await claim(store);
    expect([...again!.intents.keys()].toSorted((a, b) => a - b)).toEqual([2, 18, 19]);
  });

  it('knows what others did to the intents: cancelled, corrected', async () => {
    const member = await till.withPurchases(2);
    await till.record(enrolment(`${member}-e`, member, 'Old'));
    await till.record(
      cancelling(`${member}-v`, member, purchaseKey(`${member}-p1`)),
      enrolment(`${member}-e2`, member, 'New'),
    );
    const [lane] = await claim(store);
    const statuses = [1, 2, 3].map((seq) => lane!.intents.get(seq)?.state.status);
    expect(statuses).toEqual(['cancelled', 'pending', 'pending']);
    expect(lane!.intents.get(3)?.command).toMatchObject({ content: { person: { firstName: 'New' } } });
  });

  it('brings the trace that an intent was recorded in, also of what was corrected since', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const traced = (event: TestEvent): TestEvent => ({ ...event, verdict: { ...event.verdict, traceparent } });
    await till.record(traced(enrolment('e-traced', 'traced', 'A')), purchase('p-untraced', 'traced'));
    await till.record(enrolment('e-corrected', 'traced', 'B'));
    const [lane] = await claim(store);
    const intents = lane!.intents;
    expect(intents.get(1)).toMatchObject({ traceparent, command: { content: { person: { firstName: 'B' } } } });
    expect(intents.get(2)).not.toHaveProperty('traceparent');
  });

  it('of a member whose key was destroyed brings no command', async () => {
    const [gone, other] = [await till.withPurchases(), await till.withPurchases()];
    await store.sql('DELETE FROM member_key WHERE lane_id = (SELECT lane_id FROM member WHERE member_id = $1)', gone);
    const lanes = await claim(store);
    const commandOf = (member: string): unknown =>
      lanes.find(({ memberId }) => memberId === member)!.intents.get(1)!.command;
    expect(commandOf(gone)).toBeNull();
    expect(commandOf(other)).toMatchObject({ operation: 'transaction' });
  });

  it('tells of a lane that cannot be opened without costing the others', async () => {
    const [damaged, other] = [await till.withPurchases(), await till.withPurchases()];
    const { lane_id: laneId } = await laneOf(store, damaged);
    await store.sql("UPDATE member_key SET wrapped_key = wrapped_key || '\\x00' WHERE lane_id = $1", laneId);
    const { lanes, unreadable } = await tryClaim(store);
    expect(lanes.map(({ memberId }) => memberId)).toEqual([other]);
    expect(unreadable).toMatchObject([{ laneId, error: { name: 'SealBrokenError' } }]);
    expect(await claim(store)).toEqual([]);
  });
});

describe('when the next lane comes due', () => {
  const replicaId = '00000000-0000-4000-8000-000000000001';
  const onTheWay = async (look: LaneLook): Promise<number | undefined> => {
    const report = { replicaId, startedAt: now, programs: {}, gates: [] };
    const { nextDue } = await reportReplica(store.database, report, now, [
      look,
      { program: 'another', floors: [null, null, null] },
    ]);
    expect(nextDue.get('another')).toBe(Infinity);
    return nextDue.get(look.program);
  };
  const ways: [string, (look: LaneLook) => Promise<number | undefined>][] = [
    ['asked for alone', (look) => nextDueAt(store.database, look)],
    ['on the way of a report', onTheWay],
  ];

  it.each(ways)('%s, is the least of its program, leases and what is due included, above the floor', async (_, ask) => {
    const next = (floor: number | null = null): Promise<number | undefined> =>
      ask({ program, floors: [floor, floor, floor] });
    expect(await next()).toBe(Infinity);
    const [soon, late] = [await till.withPurchases(), await till.withPurchases()];
    await dueAt(soon, now + 700);
    await dueAt(late, now + 9_000);
    expect(await next()).toBe(now + 700);
    expect(await next(now + 1_000)).toBe(now + 9_000);
    await dueAt(late, now - 5);
    expect(await next()).toBe(now - 5);
    await claimOne(store, { limit: 1 });
    expect(await next(now + 1_000)).toBe(now + leaseMs);
  });
});

describe('claims at the same time', () => {
  it('never take the same lane, and together take all', async () => {
    for (let count = 0; count < 120; count += 1) await till.withPurchases();
    const owners = Array.from({ length: 10 }, (_, index) => `00000000-0000-4000-8000-0000000000${10 + index}`);
    const taken: number[] = [];
    for (let rounds = 0; rounds < 20 && taken.length < 120; rounds += 1) {
      const claims = await Promise.all(owners.map((by) => claim(store, { owner: by, limit: 8 })));
      taken.push(...claims.flat().map(({ laneId }) => laneId));
    }
    expect(taken).toHaveLength(120);
    expect(new Set(taken).size).toBe(120);
    const [row] = await store.sql<{ most: number }>('SELECT max(epoch) AS most FROM lane WHERE due_at IS NOT NULL');
    expect(row).toEqual({ most: 1 });
  });

  it('skip what another transaction holds instead of waiting for it', async () => {
    const [held, free] = [await till.withPurchases(), await till.withPurchases()];
    await store.database.transaction('holder', async (session) => {
      const text =
        'SELECT FROM lane WHERE lane_id = (SELECT lane_id FROM member WHERE member_id = $1) FOR NO KEY UPDATE';
      await session.query({ name: 'hold', text }, [held]);
      expect((await claim(store)).map(({ memberId }) => memberId)).toEqual([free]);
    });
    expect((await claim(store)).map(({ memberId }) => memberId)).toEqual([held]);
  });

  it('and extensions and steps at the same time leave every lane claimable to its end', async () => {
    const members = Array.from({ length: 12 }, (_, index) => `busy${index}`);
    const tills = [new Till(store), new Till(store)];
    const recording = tills.map(async (own, by) => {
      for (let round = 0; round < 15; round += 1) {
        await own.record(...members.map((member) => purchase(`${member}-${by}-${round}`, member)));
      }
    });
    let isRecorded = false;
    const recorded = Promise.all(recording).then(() => (isRecorded = true));
    const order = new Map<number, number[]>();
    const deliver = async (by: string): Promise<void> => {
      for (let idle = 0; idle < 3;) {
        const lanes = await claim(store, { owner: by, limit: 4 });
        idle = lanes.length === 0 && isRecorded ? idle + 1 : 0;
        for (const lane of lanes) {
          if (lane.cursor.current > lane.cursor.tail || !lane.intents.has(lane.cursor.current)) continue;
          const lease = await begin(store, leaseOf(lane));
          order.set(lane.laneId, [...(order.get(lane.laneId) ?? []), lease.seq]);
          const event = { type: 'AttemptApplied', at: now, attempt: 1 } as const;
          await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [event] }) }));
        }
      }
    };
    await Promise.all([recorded, deliver(owner), deliver(owner.replace(/1$/, '2')), deliver(owner.replace(/1$/, '3'))]);
    expect([...order.values()]).toEqual(members.map(() => Array.from({ length: 30 }, (_, index) => index + 1)));
    expect(await claim(store, { now: now + 10 * leaseMs })).toEqual([]);
  });
});

describe('the claim statement', () => {
  it.each([
    [0, 1],
    [1, 1],
    [3, 2],
    [100, 64],
    [claimLanesMax + 1, claimLanesMax],
  ])('for %d has the literal limit %d and a name of its own', (limit, literal) => {
    const { name, text } = claimStatement(limit);
    expect(name).toBe(`claim_lanes_${literal}`);
    expect(text).toContain(`LIMIT ${literal} FOR NO KEY UPDATE`);
    expect(claimStatement(limit)).toBe(claimStatement(literal));
  });
});
