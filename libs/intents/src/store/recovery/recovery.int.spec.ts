import { begin, claim, claimOne, completion, record, stepOf, waitForPass } from '../../testing/lease.js';
import { cancelling, enrolment, historyOf, laneOf, now, purchase, purchaseKey, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { beginRecovery, findRecovery } from './recovery.js';

const minuteMs = 60_000;
const recoveredFrom = now + minuteMs;
const startedAt = recoveredFrom + minuteMs;
const told = { recoveredFrom, lostUntil: null };

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
    const first = await beginRecovery(store.database, { ...told, now: startedAt });
    expect(first).toEqual({ recoveredFrom, startedAt, producedUntil: startedAt + minuteMs, isNew: true, isOld: false });
    const again = await beginRecovery(store.database, { ...told, now: startedAt + 5 * minuteMs });
    expect(again).toEqual({ ...first, isNew: false });
    expect(await findRecovery(store.database)).toMatchObject({ recoveredFrom, startedAt, open: 0, undecided: 0 });
  });

  it('is old once work has gone on: told again after a later restore it protects nothing, and says so', async () => {
    const first = await beginRecovery(store.database, { ...told, now: startedAt });
    await till.recordAt(startedAt + 1, purchase('p1', 'a'));
    const again = await beginRecovery(store.database, { ...told, now: startedAt + 5 * minuteMs });
    expect(again).toEqual({ ...first, isNew: false, isOld: true });
  });

  it('is unknown where there was none', async () => {
    expect(await findRecovery(store.database)).toBeNull();
    await till.recordOutcomes(purchase('p1', 'a'));
    expect(await forgottenOf('a')).toEqual([undefined]);
  });

  it('is refused from a moment that has not come, or that the database knows the future of', async () => {
    const future = beginRecovery(store.database, { ...told, recoveredFrom: startedAt + 1, now: startedAt });
    await expect(future).rejects.toThrow('has not come yet');
    await till.recordOutcomes(purchase('p1', 'a'));
    const early = { ...told, recoveredFrom: now - 2 * minuteMs, now: startedAt };
    await expect(beginRecovery(store.database, early)).rejects.toThrow('was not restored to');
    const lease = await begin(store, await claimOne(store));
    const later = { type: 'AttemptApplied', at: now + 10 * minuteMs, attempt: 1 } as const;
    await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [later] }) }));
    const between = { ...told, recoveredFrom: now + 5 * minuteMs, now: now + 20 * minuteMs };
    await expect(beginRecovery(store.database, between)).rejects.toThrow('was not restored to');
  });

  it('stands as it was begun: another end is refused', async () => {
    const begun = await beginRecovery(store.database, { recoveredFrom, lostUntil: recoveredFrom + 1, now: startedAt });
    const again = (lostUntil: number | null) =>
      beginRecovery(store.database, { recoveredFrom, lostUntil, now: startedAt + minuteMs });
    expect([await again(recoveredFrom + 1), await again(null)]).toEqual([
      { ...begun, isNew: false },
      { ...begun, isNew: false },
    ]);
    await expect(again(recoveredFrom + 2)).rejects.toThrow('has begun with');
  });

  it.each([
    ['has not come yet', startedAt + 1],
    ['is before --recovered-from', recoveredFrom - 1],
  ])('is refused where its end %s', async (why, lostUntil) => {
    const begun = beginRecovery(store.database, { recoveredFrom, lostUntil, now: startedAt });
    await expect(begun).rejects.toThrow(why);
    expect(await findRecovery(store.database)).toBeNull();
  });

  it('gives out no quarantine id of the lost history, and ends its leases', async () => {
    await till.recordOutcomes(purchase('p1', 'a'));
    await claimOne(store, { leaseUntil: startedAt + minuteMs });
    await beginRecovery(store.database, { ...told, now: startedAt });
    expect(await laneOf(store, 'a')).toMatchObject({ due_at: startedAt });
    const [next] = await store.sql<{ id: number }>(
      "SELECT nextval(pg_get_serial_sequence('quarantine', 'quarantine_id')) AS id",
    );
    expect(next!.id).toBeGreaterThan(1_000_000);
  });
});

describe('what a lost history may have sent', () => {
  it('is not what was produced a minute after it had ended, however much later the recovery begins', async () => {
    const [from, lostUntil] = [now - 3 * minuteMs, now - 2 * minuteMs];
    await beginRecovery(store.database, { recoveredFrom: from, lostUntil, now: startedAt });
    expect(await findRecovery(store.database)).toMatchObject({ startedAt, producedUntil: now - minuteMs });
    await till.recordAt(startedAt + 1, purchase('late', 'b'));
    expect(await forgottenOf('b', startedAt + 1)).toEqual([undefined]);
  });

  it('is all that was recorded before the recovery, or produced before it, and nothing later', async () => {
    await till.recordOutcomes(purchase('old', 'a'));
    await beginRecovery(store.database, { ...told, now: startedAt });
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
    await beginRecovery(store.database, { ...told, now: startedAt });
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
    await beginRecovery(store.database, { ...told, now: startedAt });
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
    await beginRecovery(store.database, { ...told, now: startedAt });
    expect(await till.recordOutcomes(cancelling('v', 'a', purchaseKey('p1')))).toEqual(['recorded']);
    expect(await till.recordOutcomes(cancelling('o', 'b', 'everything-queued'))).toEqual(['void-after-delivery']);
    expect([...(await historyOf(store, 'a')), ...(await historyOf(store, 'b'))]).toEqual([
      ...['1 IntentRecorded', '1 CancelRequested'],
      '1 IntentRecorded',
    ]);
  });

  it('regression: is not cancelled by a void that is read before it this time', async () => {
    await beginRecovery(store.database, { ...told, now: startedAt });
    await till.recordOutcomes(cancelling('v', 'a', purchaseKey('p1')));
    expect(await till.recordOutcomes(purchase('p1', 'a'))).toEqual(['recorded']);
    expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '1 CancelRequested']);
  });

  it('regression: is in doubt, not in conflict, where that void names another total', async () => {
    const [voided, sale] = [cancelling('v', 'a', purchaseKey('p1')), purchase('p1', 'a')];
    const [cancel] = voided.verdict.cancels;
    const [intent] = sale.verdict.intents;
    await beginRecovery(store.database, { ...told, now: startedAt });
    await till.recordOutcomes({ ...voided, verdict: { ...voided.verdict, cancels: [{ ...cancel!, total: '1 EUR' }] } });
    await till.recordOutcomes({ ...sale, verdict: { ...sale.verdict, intents: [{ ...intent!, total: '2 EUR' }] } });
    expect(await store.sql("SELECT data->>'reason' AS reason FROM intent_event WHERE type = 'IntentParked'")).toEqual([
      { reason: 'unknown-outcome' },
    ]);
  });

  it('regression: of an enrolment is mended as ever, for it is looked up before it is sent', async () => {
    await till.recordOutcomes(enrolment('e1', 'b', 'Ada'));
    await beginRecovery(store.database, { ...told, now: startedAt });
    expect(await till.recordOutcomes(enrolment('e2', 'b', 'Bea'))).toEqual(['recorded']);
    expect(await historyOf(store, 'b')).toEqual(['1 IntentRecorded', '1 IntentCorrected']);
  });
});
