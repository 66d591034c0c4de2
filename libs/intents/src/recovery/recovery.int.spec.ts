import { begin, claim, claimOne, completion, record, stepOf, waitForPass } from '../testing/lease.js';
import { cancelling, enrolment, historyOf, laneOf, now, purchase, purchaseKey, Till } from '../testing/records.js';
import type { TestStore } from '../testing/test-store.js';
import { testStore } from '../testing/test-store.js';
import { beginRecovery, findRecovery } from './recovery.js';

const minuteMs = 60_000;
const recoveredFrom = now + minuteMs;
const startedAt = recoveredFrom + minuteMs;

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(4);
  till = new Till(store);
});

afterEach(() => store.close());

async function forgottenOf(member: string, at = startedAt): Promise<readonly (number | undefined)[]> {
  const lanes = await claim(store, { now: at });
  const lane = lanes.find(({ memberId }) => memberId === member);
  return [...(lane?.intents.values() ?? [])].map(({ forgottenBefore }) => forgottenBefore);
}

describe('a recovery', () => {
  it('is marked once, however often it is told', async () => {
    const first = await beginRecovery(store.database, { recoveredFrom, now: startedAt });
    expect(first).toEqual({ recoveredFrom, startedAt, producedUntil: startedAt + minuteMs, isNew: true, isOld: false });
    const again = await beginRecovery(store.database, { recoveredFrom, now: startedAt + 5 * minuteMs });
    expect(again).toEqual({ ...first, isNew: false });
    expect(await findRecovery(store.database)).toMatchObject({ recoveredFrom, startedAt, open: 0, undecided: 0 });
  });

  it('is old once work has gone on: told again after a later restore it protects nothing, and says so', async () => {
    const first = await beginRecovery(store.database, { recoveredFrom, now: startedAt });
    await till.recordAt(startedAt + 1, purchase('p1', 'a'));
    const again = await beginRecovery(store.database, { recoveredFrom, now: startedAt + 5 * minuteMs });
    expect(again).toEqual({ ...first, isNew: false, isOld: true });
  });

  it('is unknown where there was none', async () => {
    expect(await findRecovery(store.database)).toBeNull();
    await till.recordOutcomes(purchase('p1', 'a'));
    expect(await forgottenOf('a')).toEqual([undefined]);
  });

  it('is refused from a moment that has not come, or that the database knows the future of', async () => {
    const future = beginRecovery(store.database, { recoveredFrom: startedAt + 1, now: startedAt });
    await expect(future).rejects.toThrow('has not come yet');
    await till.recordOutcomes(purchase('p1', 'a'));
    const early = { recoveredFrom: now - 2 * minuteMs, now: startedAt };
    await expect(beginRecovery(store.database, early)).rejects.toThrow('was not restored to');
    const lease = await begin(store, await claimOne(store));
    const later = { type: 'AttemptApplied', at: now + 10 * minuteMs, attempt: 1 } as const;
    await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [later] }) }));
    const between = { recoveredFrom: now + 5 * minuteMs, now: now + 20 * minuteMs };
    await expect(beginRecovery(store.database, between)).rejects.toThrow('was not restored to');
  });

  it('gives out no quarantine id of the lost history, and ends its leases', async () => {
    await till.recordOutcomes(purchase('p1', 'a'));
    await claimOne(store, { leaseUntil: startedAt + minuteMs });
    await beginRecovery(store.database, { recoveredFrom, now: startedAt });
    expect(await laneOf(store, 'a')).toMatchObject({ due_at: startedAt });
    const [next] = await store.sql<{ id: number }>(
      "SELECT nextval(pg_get_serial_sequence('quarantine', 'quarantine_id')) AS id",
    );
    expect(next!.id).toBeGreaterThan(1_000_000);
  });
});

describe('what a lost history may have sent', () => {
  it('is all that was recorded before the recovery, or produced before it, and nothing later', async () => {
    await till.recordOutcomes(purchase('old', 'a'));
    await beginRecovery(store.database, { recoveredFrom, now: startedAt });
    expect(await forgottenOf('a')).toEqual([startedAt]);
    await till.recordOutcomes(purchase('read again', 'b'));
    await store.sql('UPDATE recovery SET started_at = $1::timestamptz', new Date(now - 1).toISOString());
    expect(await forgottenOf('b')).toEqual([now - 1]);
    await store.sql('UPDATE recovery SET produced_until = $1::timestamptz', new Date(now - minuteMs).toISOString());
    await till.recordOutcomes(purchase('new', 'c'));
    expect(await forgottenOf('c')).toEqual([undefined]);
  });

  it('is looked for anew where it was unknown before, and not compared with what was read then', async () => {
    await till.recordOutcomes(purchase('p1', 'a'));
    const lease = await begin(store, await claimOne(store));
    const unknown = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'reset', checkAt: now } as const;
    await record(store, stepOf(lease, { completion: completion(lease, 'doubt', { events: [unknown], dueAt: now }) }));
    await beginRecovery(store.database, { recoveredFrom, now: startedAt });
    const [lane] = await claim(store, { now: startedAt });
    expect(lane!.intents.get(1)?.state).toMatchObject({
      status: 'unknown',
      since: now,
      endedBy: startedAt,
      before: null,
    });
  });

  it('is known from the store once it was taken into account, although no attempt is on the lane', async () => {
    await till.recordOutcomes(purchase('p1', 'a'));
    await beginRecovery(store.database, { recoveredFrom, now: startedAt });
    const lease = await claimOne(store, { now: startedAt });
    const events = [
      { type: 'AttemptBegun', at: startedAt, attempt: 1 },
      { type: 'AttemptUnknown', at: startedAt, attempt: 1, code: 'forgotten', checkAt: startedAt, endedBy: startedAt },
    ] as const;
    await record(store, stepOf(lease, { completion: completion(lease, 'doubt', { events, dueAt: startedAt }) }));
    const [lane] = await claim(store, { now: startedAt });
    expect(lane!.attempt).toBe(0);
    expect(lane!.intents.get(1)?.state).toMatchObject({ status: 'unknown', attempts: 1, forgottenAt: startedAt });
    expect(await findRecovery(store.database)).toMatchObject({ open: 1, undecided: 0 });
  });

  it('waits no longer once it is in doubt', async () => {
    await till.recordOutcomes(purchase('p1', 'a'));
    const waiting = await claimOne(store);
    await record(store, stepOf(waiting, { completion: waitForPass(waiting) }));
    expect(await laneOf(store, 'a')).toMatchObject({ state: 'waiting' });
    const lease = await claimOne(store, { now: now + 1_000 });
    await record(store, stepOf(lease, { completion: completion(lease, 'doubt', { dueAt: now + 2_000 }) }));
    expect(await laneOf(store, 'a')).toMatchObject({ state: 'live', due_at: now + 2_000 });
  });

  it('is not cancelled as if it had never been begun', async () => {
    await till.recordOutcomes(purchase('p1', 'a'), enrolment('e', 'b'));
    await beginRecovery(store.database, { recoveredFrom, now: startedAt });
    expect(await till.recordOutcomes(cancelling('v', 'a', purchaseKey('p1')))).toEqual(['recorded']);
    expect(await till.recordOutcomes(cancelling('o', 'b', 'everything-queued'))).toEqual(['void-after-delivery']);
    expect([...(await historyOf(store, 'a')), ...(await historyOf(store, 'b'))]).toEqual([
      ...['1 IntentRecorded', '1 CancelRequested'],
      '1 IntentRecorded',
    ]);
  });
});
