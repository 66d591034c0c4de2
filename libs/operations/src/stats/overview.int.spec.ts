import type { IntentEvent, IntentStatus } from '#intents/core';
import { waitUntil } from '#embedded';
import { countIntents, findTallyLag, rebuildLanes, reissuePass, SettledTally, IntentActionRepository } from '#intents';
import type { ActionRequest, Lease, TestStore } from '#intents/testing';
import {
  begin,
  cancelling,
  claim,
  claimOne,
  completion,
  deliverOne,
  enrolment,
  laneOf,
  now,
  program,
  purchase,
  purchaseKey,
  record,
  stepOf,
  testStore,
  Till,
  waitForPass,
} from '#intents/testing';
import type { SqlSession } from '#platform';

import { StatusRepository } from './intents-by-events.js';
import { overviewsOf } from '../testing/ports.js';

const laterMs = 60_000;
const rejected: IntentEvent = { type: 'AttemptRejected', at: now, attempt: 1, code: 'refused' };
const lost: IntentEvent = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: null };

function parked(reason: 'rejected' | 'unknown-outcome', lane: 'block' | 'continue'): IntentEvent {
  return { type: 'IntentParked', at: now, reason, lane };
}

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(4);
  till = new Till(store);
});

afterEach(() => store.close());

/** Begins the only due lane's current intent and ends the attempt so. */
async function attempt(kind: Parameters<typeof completion>[1], ...events: IntentEvent[]): Promise<Lease> {
  const lease = await begin(store, await claimOne(store));
  await record(store, stepOf(lease, { completion: completion(lease, kind, { events, dueAt: now + laterMs }) }));
  return lease;
}

async function act(memberId: string, action: ActionRequest['action']): Promise<void> {
  const { lane_id: laneId } = await laneOf(store, memberId);
  const audit = { at: now, actor: 'ada', address: null, reason: 'mended' };
  const { kind } = await new IntentActionRepository(store.database, store.keys.members).act({
    place: { laneId, seq: 1 },
    action,
    audit,
  });
  expect(kind).toBe('done');
}

async function reissue(memberId: string): Promise<void> {
  const { lane_id: laneId } = await laneOf(store, memberId);
  const audit = { at: now, actor: 'ada', address: null, reason: 'the pass is gone' };
  const request = { laneId, evidence: '{}', job: 'j', audit };
  const again = (session: SqlSession) => reissuePass(session, request, store.keys.members);
  expect(await store.database.transaction('reissue', again)).toMatchObject({ kind: 'done' });
}

/** Every way in which an intent can stand, one member each; each leaves nothing that is due. */
async function live(): Promise<void> {
  await till.record(enrolment('e1', 'delivered'), purchase('p1', 'delivered'));
  await deliverOne(store);
  await deliverOne(store);
  await till.record(purchase('p2', 'refused'));
  await attempt('settle', rejected, parked('rejected', 'continue'));
  await till.record(enrolment('e3', 'blocked'), purchase('p3', 'blocked'));
  await attempt('block', rejected, parked('rejected', 'block'));
  await till.record(purchase('p4', 'in-doubt'));
  await attempt('await', lost);
  await till.record(purchase('p5', 'found'));
  await attempt('settle', lost, { type: 'VerifiedApplied', at: now, attempt: 1, evidence: 'lookup' });
  await till.record(purchase('p6', 'resolved'));
  await attempt('settle', lost, parked('unknown-outcome', 'continue'));
  await act('resolved', { kind: 'resolve', as: 'delivered' });
  await till.record(purchase('p7', 'cancelled'), purchase('p8', 'cancelled'));
  await till.record(cancelling('v8', 'cancelled', purchaseKey('p8')));
  await deliverOne(store);
  const past = await claimOne(store);
  await record(store, stepOf(past, { completion: completion(past, 'settle') }));
  await till.record(purchase('p9', 'waiting'));
  const waiting = await claimOne(store);
  await record(store, stepOf(waiting, { completion: waitForPass(waiting, now + laterMs) }));
  await till.record(enrolment('e12', 'reissued'));
  await deliverOne(store);
  await reissue('reissued');
  await begin(store, await claimOne(store));
  await till.record(purchase('p10', 'put-back'));
  await attempt('settle', rejected, parked('rejected', 'continue'));
  await act('put-back', { kind: 'replay' });
  await begin(store, await claimOne(store));
  await till.record(purchase('p11', 'idle'));
}

type Counts = Readonly<Record<string, number>>;

/** By operation and status, as the fold of every event tells it; what is under way is pending, too. */
async function folded(): Promise<Counts> {
  const counts: Record<string, number> = {};
  for (const { operation, status } of await new StatusRepository(store.database).list({ laneId: 0, seq: 0 })) {
    const key = `${operation} ${status === 'delivering' ? 'pending' : status}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

async function counted(): Promise<Counts> {
  const counts = await countIntents(store.database);
  expect(counts.every((count) => count.program === program)).toBe(true);
  return Object.fromEntries(
    counts.flatMap(({ operation, byStatus }) =>
      Object.entries(byStatus).flatMap(([status, intents]) =>
        intents > 0 ? [[`${operation} ${status}`, intents]] : [],
      ),
    ),
  );
}

/** Any transaction of the cluster, also of other tests, may hold it back for a moment. */
async function tallyAll(tally = new SettledTally(store.database)): Promise<void> {
  const isDone = async (): Promise<boolean> => (await tally.step()) === 'idle';
  await waitUntil(isDone, { what: 'everything to be counted', timeoutMs: 30_000, intervalMs: 5 });
}

describe('the counts of intents', () => {
  it('are what the fold of all events tells, by operation and status', async () => {
    await live();
    await tallyAll();
    const told = await folded();
    const statuses = new Set<string>(Object.keys(told).map((key) => key.split(' ')[1] ?? ''));
    const wanted: IntentStatus[] = ['pending', 'waiting', 'unknown', 'parked', 'delivered', 'cancelled'];
    expect([...statuses].toSorted()).toEqual(wanted.toSorted());
    expect(await counted()).toEqual(told);
    expect(await findTallyLag(store.database)).toBeNull();
  });

  it('take what is delivered for pending until it is counted, and say since when', async () => {
    await till.record(purchase('p', 'm'));
    await deliverOne(store);
    expect(await counted()).toEqual({ 'transaction pending': 1 });
    expect(await findTallyLag(store.database)).toBe(now);
    await tallyAll();
    expect(await counted()).toEqual({ 'transaction delivered': 1 });
  });

  it('are the same after a rebuild, which begins where they stood', async () => {
    await live();
    await tallyAll();
    const before = await counted();
    await store.sql(`UPDATE settled_tally SET intents = 4711`);
    await store.sql(`UPDATE intent_tally SET recorded = 4711`);
    await store.sql(`UPDATE lane SET owner = NULL`);
    await rebuildLanes(store.owned, now);
    expect(await counted()).toEqual(before);
    await tallyAll();
    expect(await counted()).toEqual(before);
  });
});

describe('keeping count', () => {
  it('counts each event once, however many do it', async () => {
    await till.record(...Array.from({ length: 20 }, (_, index) => purchase(`p${index}`, `m${index}`)));
    const tallies = Array.from({ length: 3 }, () => new SettledTally(store.database));
    for (const lane of await claim(store)) {
      const { key, laneId, epoch, revision, attempt: tries, attemptOpen, cursor } = lane;
      const lease = { key, laneId, epoch, revision, attempt: tries, attemptOpen, seq: cursor.current };
      const begun = await begin(store, lease);
      const events: IntentEvent[] = [{ type: 'AttemptApplied', at: now, attempt: 1 }];
      await Promise.all([
        record(store, stepOf(begun, { completion: completion(begun, 'settle', { events }) })),
        ...tallies.map((tally) => tally.step()),
      ]);
    }
    for (const tally of tallies) await tallyAll(tally);
    expect(await counted()).toEqual({ 'transaction delivered': 20 });
  });

  it('goes no further than what no open transaction can add to any more', async () => {
    const tally = new SettledTally(store.database);
    await till.record(purchase('p', 'm'), purchase('q', 'n'));
    const { promise: held, resolve: letGo } = Promise.withResolvers<undefined>();
    const { promise: isOpen, resolve: opened } = Promise.withResolvers<undefined>();
    // Takes a position before the delivery does, and shows it afterwards.
    const slow = store.database.transaction('slow', async (session) => {
      await session.query({
        name: 'slow_cancel',
        text: `INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at)
          SELECT lane_id, 1, 1000, 0, 0, 'IntentCancelled', to_timestamp(0) FROM member WHERE member_id = 'n'`,
      });
      opened(undefined);
      await held;
    });
    await isOpen;
    await deliverFirst();
    expect(await tally.step()).toBe('open');
    expect(await tally.step()).toBe('open');
    letGo(undefined);
    await slow;
    await tallyAll(tally);
    expect(await counted()).toEqual({ 'transaction delivered': 1, 'transaction cancelled': 1 });
  });

  async function deliverFirst(): Promise<void> {
    const [lane] = await claim(store, { limit: 1 });
    if (lane === undefined) throw new Error('nothing is due');
    const { key, laneId, epoch, revision, attempt: tries, attemptOpen, cursor } = lane;
    const lease = await begin(store, {
      key,
      laneId,
      epoch,
      revision,
      attempt: tries,
      attemptOpen,
      seq: cursor.current,
    });
    const events: IntentEvent[] = [{ type: 'AttemptApplied', at: now, attempt: 1 }];
    await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events }) }));
  }
});

describe('the overview', () => {
  it('tells what is under way, what is oldest, what is blocked and the money in it', async () => {
    await live();
    expect(await overviewsOf(store.database).countDelivering(now)).toEqual([
      { program, operation: 'issue', intents: 1 },
      { program, operation: 'transaction', intents: 1 },
    ]);
    expect(await overviewsOf(store.database).countBlockedLanes()).toEqual([{ program, lanes: 1, behind: 1 }]);
    // Purchases: refused, in doubt, waiting for a pass, and behind the blocked enrolment, which is worth nothing itself.
    expect(await overviewsOf(store.database).sumValueAtRisk()).toEqual([
      { program, currency: 'EUR', minor: 4 * 5_999, digits: 2, intents: 4 },
    ]);
    await till.recordAt(now - laterMs, purchase('old', 'somebody'));
    expect(await overviewsOf(store.database).findOldestPending()).toEqual([
      { program, recordedAt: now - laterMs, isPart: false },
    ]);
  });

  it('has nothing that is oldest where all that is open waits or is blocked', async () => {
    await till.record(enrolment('e', 'blocked'), purchase('p', 'blocked'));
    await attempt('block', rejected, parked('rejected', 'block'));
    await till.record(purchase('q', 'waiting'));
    const waiting = await claimOne(store);
    await record(store, stepOf(waiting, { completion: waitForPass(waiting, now + laterMs) }));
    expect(await overviewsOf(store.database).findOldestPending()).toEqual([]);
  });

  it('counts what was set aside by its reason', async () => {
    for (const [offset, reason] of ['invalid', 'conflict', 'invalid'].entries()) {
      await store.sql(
        `INSERT INTO quarantine (topic, partition, kafka_offset, reason, detail, sealed_headers, value_bytes, broker_at,
           recorded_at) VALUES ('t', 0, $1, $2, '', '', 0, to_timestamp(0), to_timestamp(0))`,
        ...[offset, reason],
      );
    }
    const expected = [
      { reason: 'conflict', records: 1 },
      { reason: 'invalid', records: 2 },
    ];
    expect(await overviewsOf(store.database).countQuarantineReasons()).toEqual(expected);
  });
});
