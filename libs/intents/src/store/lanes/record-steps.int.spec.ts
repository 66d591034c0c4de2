import {
  applied,
  begin,
  beginOf,
  claim,
  claimOne,
  completion,
  leaseMs,
  leaseOf,
  owner,
  record,
  stepOf,
  waitForPass,
} from '../../testing/lease.js';
import {
  cancelling,
  enrolment,
  historyOf,
  laneOf,
  newMember,
  now,
  purchase,
  purchaseKey,
  Till,
} from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { rebuildLanes } from '../rebuild/rebuild-lanes.js';
import { evidencePlace } from '../keys/member-keys.js';
import type { EventPlace } from '../keys/seal-place.js';
import type { LaneStep } from './record-steps.js';
import { recordSteps } from './record-steps.js';

let store: TestStore;
let till: Till;

beforeAll(async () => {
  store = await testStore(4);
  till = new Till(store);
});

afterEach(async () => {
  await store.sql('UPDATE lane SET due_at = NULL');
});

afterAll(() => store.close());

const claimable = { due_at: now, owner: null };

describe('a begin', () => {
  it('is written ahead: attempt open, lease extended, AttemptBegun stored', async () => {
    const member = await till.withPurchases(1);
    const lease = await claimOne(store);
    expect(await record(store, stepOf(lease, { begin: beginOf(1) }))).toMatchObject({ completed: false, begun: true });
    const lane = await laneOf(store, member);
    expect(lane).toMatchObject({ attempt: 1, attempt_open: true, due_at: now + 2 * leaseMs, owner, state: 'live' });
    expect(await historyOf(store, member)).toEqual(['1 IntentRecorded', '1 AttemptBegun']);
  });

  it.each([
    ['of another sequence than the next', 2],
    ['beyond the tail', 3],
  ])('%s is refused', async (_name, seq) => {
    await till.withPurchases(2);
    const lease = await claimOne(store);
    expect(await record(store, stepOf(lease, { begin: beginOf(seq) }))).toMatchObject({
      completed: false,
      begun: false,
    });
  });

  it('is refused once somebody else has appended, and the lease stays with its holder', async () => {
    const member = await till.withPurchases(1);
    const lease = await claimOne(store);
    await till.record(cancelling(`${member}-v`, member, purchaseKey(`${member}-p1`)));
    expect(await record(store, stepOf(lease, { begin: beginOf(1) }))).toMatchObject({ completed: false, begun: false });
    expect(await laneOf(store, member)).toMatchObject({ attempt_open: false, owner, due_at: now + leaseMs });
    expect(await historyOf(store, member)).toEqual(['1 IntentRecorded', '1 IntentCancelled']);
  });
});

describe('an attempt', () => {
  interface Stored {
    readonly version: number;
    readonly type: string;
    readonly begun_version: number | null;
  }
  const stored = (laneId: number): Promise<Stored[]> =>
    store.sql<Stored>(
      'SELECT version, type, begun_version FROM intent_event WHERE lane_id = $1 ORDER BY version',
      laneId,
    );
  const places = (laneId: number): Promise<unknown[]> =>
    store.sql(
      'SELECT version, type, attempt, epoch, at FROM intent_history WHERE lane_id = $1 ORDER BY version',
      laneId,
    );

  it('is one row: its begin stands on the lane, then in the outcome, and the history tells the same throughout', async () => {
    const member = await till.withPurchases(1);
    const lease = await begin(store, await claimOne(store));
    expect(await stored(lease.laneId)).toEqual([]);
    const begun = { version: 2, type: 'AttemptBegun', attempt: 1, epoch: lease.epoch, at: now };
    expect(await places(lease.laneId)).toEqual([begun]);
    await record(store, stepOf(lease, { completion: applied(lease) }));
    expect(await stored(lease.laneId)).toEqual([{ version: 3, type: 'AttemptApplied', begun_version: 2 }]);
    expect(await places(lease.laneId)).toMatchObject([begun, { version: 3, type: 'AttemptApplied' }]);
    expect(await historyOf(store, member)).toEqual(['1 IntentRecorded', '1 AttemptBegun', '1 AttemptApplied']);
  });

  it('that ends under a later lease was begun under its own', async () => {
    await till.withPurchases(1);
    const old = await begin(store, await claimOne(store));
    await store.sql(
      'UPDATE lane SET due_at = $1::timestamptz WHERE lane_id = $2',
      new Date(now).toISOString(),
      old.laneId,
    );
    const heir = await claimOne(store);
    const lost = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'worker-lost', checkAt: null } as const;
    await record(store, stepOf(heir, { completion: completion(heir, 'doubt', { events: [lost], dueAt: now + 1 }) }));
    expect(await places(heir.laneId)).toMatchObject([
      { type: 'AttemptBegun', epoch: old.epoch },
      { type: 'AttemptUnknown', epoch: heir.epoch },
    ]);
  });

  it('that ends without an event of its own keeps its begin as a row', async () => {
    const member = await till.withPurchases(2);
    const lease = await begin(store, await claimOne(store));
    const step = stepOf(lease, { completion: completion(lease, 'settle', { events: [] }), begin: beginOf(2) });
    expect(await record(store, step)).toMatchObject({ completed: true, begun: true });
    expect(await stored(lease.laneId)).toEqual([{ version: 3, type: 'AttemptBegun', begun_version: null }]);
    expect((await historyOf(store, member)).slice(2)).toEqual(['1 AttemptBegun', '2 AttemptBegun']);
  });

  it('that a person must look at, for its history does not show it, keeps its begin as a row', async () => {
    const member = await till.withPurchases(1);
    const lease = await begin(store, await claimOne(store));
    const park = { type: 'IntentParked', at: now, reason: 'unknown-outcome', lane: 'continue' } as const;
    await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [park] }) }));
    expect(await stored(lease.laneId)).toMatchObject([{ type: 'AttemptBegun' }, { type: 'IntentParked' }]);
    expect(await historyOf(store, member)).toEqual(['1 IntentRecorded', '1 AttemptBegun', '1 IntentParked']);
  });

  it('before which something was read is a row from its begin on', async () => {
    const member = await till.withPurchases(1);
    const lease = await claimOne(store);
    const before = { points: 7, readAt: now };
    await record(store, stepOf(lease, { begin: { ...beginOf(1), before } as LaneStep['begin'] }));
    expect(await stored(lease.laneId)).toEqual([{ version: 2, type: 'AttemptBegun', begun_version: null }]);
    const open = { ...lease, attempt: 1, attemptOpen: true };
    await record(store, stepOf(open, { completion: applied(open) }));
    expect((await stored(lease.laneId)).at(-1)).toEqual({ version: 3, type: 'AttemptApplied', begun_version: null });
    expect(await historyOf(store, member)).toEqual(['1 IntentRecorded', '1 AttemptBegun', '1 AttemptApplied']);
  });

  it('keeps its begin as a row where its lane is deleted', async () => {
    await till.withPurchases(1);
    const lease = await begin(store, await claimOne(store));
    await store.sql('DELETE FROM lane WHERE lane_id = $1', lease.laneId);
    expect(await stored(lease.laneId)).toEqual([{ version: 2, type: 'AttemptBegun', begun_version: null }]);
    expect(await places(lease.laneId)).toHaveLength(1);
  });
});

describe('settling', () => {
  it('moves to the next intent, which is due at once', async () => {
    const member = await till.withPurchases(2);
    const lease = await begin(store, await claimOne(store));
    expect(await record(store, stepOf(lease, { completion: applied(lease) }))).toMatchObject({ completed: true });
    expect(await laneOf(store, member)).toMatchObject({
      ...claimable,
      head_seq: 2,
      cur_seq: 2,
      attempt: 0,
      attempt_open: false,
      pass: 'known',
    });
  });

  it('leaves a drained lane with nothing due, until more is recorded', async () => {
    const member = await till.withPurchases(1);
    const lease = await begin(store, await claimOne(store));
    await record(store, stepOf(lease, { completion: applied(lease) }));
    expect(await laneOf(store, member)).toMatchObject({ due_at: null, owner: null, cur_seq: 2, tail_seq: 1 });
    await till.record(purchase(`${member}-more`, member));
    expect(await laneOf(store, member)).toMatchObject({ ...claimable, cur_seq: 2, tail_seq: 2 });
  });

  it('merges with the begin of the next intent: one statement, versions dense', async () => {
    const member = await till.withPurchases(2);
    const lease = await begin(store, await claimOne(store));
    const step = stepOf(lease, { completion: applied(lease), begin: beginOf(2) });
    expect(await record(store, step)).toMatchObject({ completed: true, begun: true });
    expect(await laneOf(store, member)).toMatchObject({ head_seq: 2, attempt: 1, attempt_open: true, owner });
    expect(await historyOf(store, member)).toEqual([
      ...['1 IntentRecorded', '2 IntentRecorded', '1 AttemptBegun'],
      ...['1 AttemptApplied', '2 AttemptBegun'],
    ]);
  });

  it('counts even when the merged begin is refused, and gives the lease back', async () => {
    const member = await till.withPurchases(2);
    const lease = await begin(store, await claimOne(store));
    await till.record(cancelling(`${member}-v`, member, purchaseKey(`${member}-p2`)));
    const step = stepOf(lease, { completion: applied(lease), begin: beginOf(2) });
    expect(await record(store, step)).toMatchObject({ completed: true, begun: false });
    expect(await laneOf(store, member)).toMatchObject({ ...claimable, head_seq: 2, attempt_open: false });
    expect((await historyOf(store, member)).at(-1)).toBe('1 AttemptApplied');
  });

  it('of a drained lane is refused: it would skip what comes next', async () => {
    const member = await till.withPurchases(1);
    const lease = await begin(store, await claimOne(store));
    await record(store, stepOf(lease, { completion: applied(lease) }));
    const beyond = { ...lease, seq: 2, attempt: 0, attemptOpen: false };
    const step = stepOf(beyond, { completion: completion(beyond, 'settle') });
    expect(await record(store, step)).toMatchObject({ completed: false });
    expect(await laneOf(store, member)).toMatchObject({ head_seq: 2, cur_seq: 2, due_at: null });
  });
});

describe('a retry', () => {
  it('comes back to the same intent at its time, with its attempts', async () => {
    const member = await till.withPurchases(2);
    const lease = await begin(store, await claimOne(store));
    const event = {
      type: 'AttemptNotApplied',
      at: now,
      attempt: 1,
      code: 'x',
      answered: true,
      retryAt: now + 700,
    } as const;
    await record(
      store,
      stepOf(lease, { completion: completion(lease, 'retry', { events: [event], dueAt: now + 700 }) }),
    );
    expect(await laneOf(store, member)).toMatchObject({
      ...{ due_at: now + 700, owner: null, cur_seq: 1, attempt: 1, attempt_open: false, state: 'live' },
    });
    expect(await claim(store)).toEqual([]);
    const [again] = await claim(store, { now: now + 700 });
    expect(leaseOf(again!)).toMatchObject({ seq: 1, attempt: 1, epoch: 2 });
    expect(again!.intents.get(1)?.state).toMatchObject({ status: 'pending', attempts: 1, answeredTries: 1 });
  });

  it('of a lookup while waiting goes on waiting, without an event', async () => {
    const member = await till.withPurchases(1);
    const lease = await claimOne(store);
    await record(store, stepOf(lease, { completion: waitForPass(lease) }));
    const again = await claimOne(store, { now: now + 1_000 });
    await record(store, stepOf(again, { completion: completion(again, 'retry', { dueAt: now + 2_000 }) }));
    expect(await laneOf(store, member)).toMatchObject({ state: 'waiting', due_at: now + 2_000, owner: null });
    const [lane] = await claim(store, { now: now + 2_000 });
    expect(lane!.intents.get(1)?.state.status).toBe('waiting');
  });
});

describe('waiting', () => {
  it('comes back at its time and knows that it waits', async () => {
    const member = await till.withPurchases(1);
    const lease = await claimOne(store);
    await record(store, stepOf(lease, { completion: waitForPass(lease) }));
    expect(await laneOf(store, member)).toMatchObject({
      state: 'waiting',
      due_at: now + 1_000,
      owner: null,
      pass: 'absent',
    });
    const [again] = await claim(store, { now: now + 1_000 });
    expect(again!.intents.get(1)?.state).toMatchObject({ status: 'waiting', since: now });
  });

  it('ends with a merged release and begin', async () => {
    const member = await till.withPurchases(1);
    const lease = await claimOne(store);
    await record(store, stepOf(lease, { completion: waitForPass(lease) }));
    const again = await claimOne(store, { now: now + 1_000 });
    const events = [{ type: 'PassFound', at: now } as const, { type: 'IntentReleased', at: now } as const];
    const found = completion(again, 'stay', { events, pass: 'known' });
    expect(await record(store, stepOf(again, { completion: found, begin: beginOf(1) }))).toMatchObject({
      completed: true,
      begun: true,
    });
    expect(await laneOf(store, member)).toMatchObject({ state: 'live', pass: 'known', attempt: 1, attempt_open: true });
    expect((await historyOf(store, member)).slice(-3)).toEqual(['1 PassFound', '1 IntentReleased', '1 AttemptBegun']);
  });

  it('is still known after the pass was found but nothing begun: the release is not forgotten', async () => {
    const member = await till.withPurchases(1);
    const lease = await claimOne(store);
    await record(store, stepOf(lease, { completion: waitForPass(lease) }));
    const again = await claimOne(store, { now: now + 1_000 });
    const found = completion(again, 'stay', { events: [{ type: 'PassFound', at: now }], pass: 'known' });
    await record(store, stepOf(again, { completion: found }));
    expect(await laneOf(store, member)).toMatchObject({ ...claimable, cur_seq: 1, pass: 'known' });
    const [third] = await claim(store);
    expect(third!.intents.get(1)?.state.status).toBe('waiting');
  });
});

describe('blocking', () => {
  it('stops the lane, also for what is recorded later, and loses nothing', async () => {
    const member = newMember();
    await till.record(enrolment(`${member}-e`, member));
    const lease = await begin(store, await claimOne(store));
    const event = { type: 'IntentParked', at: now, reason: 'rejected', lane: 'block' } as const;
    await record(store, stepOf(lease, { completion: completion(lease, 'block', { events: [event] }) }));
    await till.record(purchase(`${member}-p`, member));
    expect(await laneOf(store, member)).toMatchObject({
      state: 'blocked',
      due_at: null,
      owner: null,
      cur_seq: 1,
      tail_seq: 2,
    });
  });

  it('ends when the parked intent is cancelled', async () => {
    const member = await till.withPurchases(2);
    const lease = await claimOne(store);
    const event = { type: 'IntentParked', at: now, reason: 'missing-pass', lane: 'block' } as const;
    await record(store, stepOf(lease, { completion: completion(lease, 'block', { events: [event] }) }));
    await till.record(cancelling(`${member}-v`, member, purchaseKey(`${member}-p1`)));
    expect(await laneOf(store, member)).toMatchObject({ ...claimable, state: 'live', cur_seq: 1 });
    const [lane] = await claim(store);
    expect(lane!.intents.get(1)?.state.status).toBe('cancelled');
  });
});

describe('a step', () => {
  it.each([
    ['epoch', { epoch: 0 }],
    ['sequence', { seq: 2 }],
    ['attempt', { attempt: 2 }],
    ['open attempt', { attemptOpen: false }],
  ])('that believes in another %s is fenced and writes nothing', async (_name, wrong) => {
    const member = await till.withPurchases(2);
    const lease = { ...(await begin(store, await claimOne(store))), ...wrong };
    const before = await laneOf(store, member);
    const step = stepOf(lease, { completion: applied(lease), begin: beginOf(2) });
    expect(await record(store, step)).toMatchObject({ completed: false, begun: false });
    expect(await laneOf(store, member)).toEqual(before);
    expect(await historyOf(store, member)).toHaveLength(3);
  });

  it('of a completion ignores the revision: what happened, happened', async () => {
    await till.withPurchases(1);
    const lease = await begin(store, await claimOne(store));
    const step = stepOf({ ...lease, revision: 99 }, { completion: applied(lease) });
    expect(await record(store, step)).toMatchObject({ completed: true });
  });

  it('is judged for itself in a group', async () => {
    const members = [await till.withPurchases(1), await till.withPurchases(1), await till.withPurchases(1)];
    const leases = (await claim(store)).map(leaseOf);
    const steps = leases.map((lease, index) => {
      return stepOf(index === 1 ? { ...lease, epoch: 99 } : lease, { begin: beginOf(1) });
    });
    const results = await recordSteps(store.database, { steps: steps.toReversed(), now, isRetry: false }, store.keys);
    expect(results.map(({ begun }) => begun)).toEqual([true, false, true]);
    expect(results.map(({ laneId }) => laneId)).toEqual(steps.toReversed().map(({ laneId }) => laneId));
    for (const member of members) await historyOf(store, member);
  });

  it('seals its evidence for the place', async () => {
    const member = await till.withPurchases(1);
    const lease = await begin(store, await claimOne(store));
    const { events, ...rest } = applied(lease);
    const evidence = '{"secret":"value"}';
    await record(store, stepOf(lease, { completion: { ...rest, events: [{ ...events[0]!, evidence }] } }));
    const { lane_id: laneId } = await laneOf(store, member);
    const rows = await store.sql<EventPlace & { readonly sealed: Buffer }>(
      'SELECT seq, type, attempt, epoch, version, sealed FROM intent_history WHERE lane_id = $1 AND sealed IS NOT NULL',
      laneId,
    );
    expect(rows).toHaveLength(1);
    await store.learnKeys();
    expect(store.keys.members.openFor(evidencePlace({ ...rows[0]!, laneId }), rows[0]!.sealed)).toBe(evidence);
  });

  it('applied on a pass that is no card any more settles it, and the lane knows of none: also by a rebuild', async () => {
    const member = await till.withPurchases(2);
    const lease = await begin(store, await claimOne(store));
    const { attempt } = lease;
    const events = [
      { type: 'AttemptApplied', at: now, attempt },
      { type: 'PassAbsent', at: now },
    ] as const;
    await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events, pass: 'absent' }) }));
    expect(await laneOf(store, member)).toMatchObject({ pass: 'absent', head_seq: 2, cur_seq: 2 });
    await store.sql('UPDATE lane SET owner = NULL');
    await rebuildLanes(store.owned, now);
    expect(await laneOf(store, member)).toMatchObject({ pass: 'absent', head_seq: 2, cur_seq: 2 });
  });
});
