import type { CancelRequest } from '#intents/core';
import { nobody } from '#intents/core';

import { erasedName } from '../erasure/erased-names.js';
import { destroyKey } from '../erasure/erasure.js';
import { evidencePlace } from '../keys/member-keys.js';
import type { EventPlace, MarkPlace } from '../keys/seal-place.js';
import { QuarantineSettlements } from '../quarantine/quarantine-settlements.js';
import { dayMs } from '../retention/retention-policy.js';
import { forgetIdentities } from '../retention/drop-expired.js';
import { claim, untilBlocked } from '../../testing/lease.js';
import type { TestEvent } from '../../testing/records.js';
import {
  cancelling,
  historyOf,
  laneOf,
  now,
  personal,
  purchase,
  purchaseKey,
  routingBy,
  setAside,
  Till,
  waysToBatch,
} from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(6);
  till = new Till(store);
});

afterEach(() => store.close());

function voided(id: string, purchaseId: string, change: Partial<CancelRequest> = {}): TestEvent {
  const event = cancelling(id, change.memberId ?? 'a', purchaseKey(purchaseId));
  const [cancel] = event.verdict.cancels;
  return { ...event, verdict: { ...event.verdict, cancels: [{ ...cancel!, ...change }] } };
}

async function parkedAs(memberId: string): Promise<unknown> {
  const rows = await store.sql(
    `SELECT s.status, s.reason FROM intent_standing s JOIN member m USING (lane_id) WHERE m.member_id = $1`,
    memberId,
  );
  return rows;
}

describe.each(waysToBatch)('a void of a purchase that nobody knows yet, %s', (_name, split) => {
  it('cancels the purchase when it comes, which is never sent', async () => {
    expect(await till.recordInBatches(...split([voided('v', 'p1'), purchase('p1', 'a')]))).toEqual([
      'recorded',
      'recorded',
    ]);
    expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '1 IntentCancelled']);
    expect(await parkedAs('a')).toEqual([{ status: 'cancelled', reason: 'voided' }]);
    const [lane] = await claim(store);
    expect(lane?.intents.get(1)?.state.status).toBe('cancelled');
  });

  it('says which void it was, and shows it to whoever may see the member', async () => {
    await till.recordInBatches(...split([voided('v', 'p1'), purchase('p1', 'a')]));
    const [event] = await store.sql<EventPlace & { readonly data: unknown; readonly sealed: Buffer }>(
      `SELECT lane_id AS "laneId", seq, type, attempt, epoch, version, data, sealed FROM intent_history WHERE type = 'IntentCancelled'`,
    );
    const cause = { topic: till.source.topic, partition: till.source.partition, offset: 0 };
    expect(event?.data).toMatchObject({ by: 'source-event', reason: 'voided', cause });
    await store.learnKeys();
    const evidence = store.keys.members.openFor(evidencePlace(event!), event!.sealed);
    expect(evidence).toContain(personal);
  });

  it('is recognised when it is told again, and so is the purchase', async () => {
    const events = [voided('v', 'p1'), voided('v', 'p1'), voided('w', 'p1'), purchase('p1', 'a'), purchase('p1', 'a')];
    expect(await till.recordInBatches(...split([...events, purchase('q', 'a', 'p1'), voided('x', 'p1')]))).toEqual([
      ...['recorded', 'duplicate-event', 'nothing-to-cancel', 'recorded', 'duplicate-event'],
      ...['duplicate-business-key', 'nothing-to-cancel'],
    ]);
    expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '1 IntentCancelled']);
  });

  it('leaves other purchases alone', async () => {
    await till.recordInBatches(...split([voided('v', 'p1'), purchase('p2', 'a'), purchase('p1', 'a')]));
    expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '2 IntentRecorded', '2 IntentCancelled']);
  });

  it.each([
    ['another member', { memberId: 'b' }],
    ['another total', { total: '60.00 EUR' }],
  ])('parks the purchase where it names %s: a person decides', async (_what, change) => {
    await till.recordInBatches(...split([voided('v', 'p1', change), purchase('p1', 'a'), purchase('p2', 'a')]));
    expect((await historyOf(store, 'a')).toSorted()).toEqual([
      ...['1 IntentParked', '1 IntentRecorded', '2 IntentRecorded'],
    ]);
    expect(await parkedAs('a')).toEqual([{ status: 'parked', reason: 'conflict' }]);
  });

  it('cancels it where it names no member, whoever’s it is, and creates nobody', async () => {
    const unnamed = voided('v', 'p1', { memberId: nobody, total: '59.99 EUR' });
    expect(await till.recordOutcomes(unnamed)).toEqual(['recorded']);
    expect(await store.sql('SELECT lane_id FROM member')).toEqual([]);
    expect(
      await till.recordInBatches(...split([voided('w', 'p1', { memberId: nobody }), purchase('p1', 'a')])),
    ).toEqual([...['nothing-to-cancel', 'recorded']]);
    expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '1 IntentCancelled']);
  });

  it('parks it where it names no member, and another total', async () => {
    const unnamed = voided('v', 'p1', { memberId: nobody, total: '60.00 EUR' });
    await till.recordInBatches(...split([unnamed, purchase('p1', 'a')]));
    expect(await parkedAs('a')).toEqual([{ status: 'parked', reason: 'conflict' }]);
  });

  it('agrees where it names the same total', async () => {
    await till.recordInBatches(...split([voided('v', 'p1', { total: '59.99 EUR' }), purchase('p1', 'a')]));
    expect((await historyOf(store, 'a')).at(-1)).toBe('1 IntentCancelled');
  });
});

it.each([
  ['its void', 'a'],
  ['a void without a member', nobody],
])('cancels a purchase that lay in quarantine while %s passed', async (_what, memberId) => {
  const [id] = await setAside(store, till, ['p1']);
  expect(await till.recordOutcomes(voided('v', 'p1', { memberId }))).toEqual(['recorded']);
  const audit = { at: now, actor: 'ada', address: '127.0.0.1', reason: 'mended' };
  const request = { quarantineId: id!, correction: null, audit, permit: () => [] };
  const route = routingBy({ p1: purchase('p1', 'a') });
  expect(await new QuarantineSettlements(store.database, store.keys).resubmit(request, route)).toMatchObject({
    kind: 'done',
  });
  expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '1 IntentCancelled']);
});

it('loses no race: a purchase that is recorded at the same time is cancelled', async () => {
  const other = new Till(store);
  await till.recordOutcomes(purchase('p0', 'a'));
  const [first, second] = await Promise.all([
    till.recordOutcomes(purchase('p1', 'a')),
    other.recordOutcomes(voided('v', 'p1', { memberId: 'a' })),
  ]);
  expect([first, second]).toEqual([['recorded'], ['recorded']]);
  expect(await historyOf(store, 'a')).toContain('2 IntentCancelled');
});

it('loses no race behind a refund that waits for the purchase, either', async () => {
  const unknown = purchase('r1', 'b');
  const [intent] = unknown.verdict.intents;
  const ofReceipt = { key: purchaseKey('p1'), isByEmail: false, ifUnknown: 'park', rememberedDays: 0 } as const;
  const refund = { ...intent!, ofReceipt, parked: { reason: 'missing-purchase', detail: 'not told of' } } as const;
  await till.recordOutcomes({ ...unknown, verdict: { ...unknown.verdict, intents: [refund] } });
  const [locked, release] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const holding = store.owned.transaction('hold the mark', async (session) => {
    await session.query({ name: 'spec lock', text: `SELECT FROM dedup WHERE kind = 'mark' FOR UPDATE` });
    locked.resolve(undefined);
    await release.promise;
  });
  await locked.promise;
  const voiding = new Till(store).recordOutcomes(voided('v', 'p1', { memberId: nobody }));
  await untilBlocked(store, 1);
  const selling = new Till(store).recordOutcomes(purchase('p1', 'a'));
  await untilBlocked(store, 2);
  release.resolve(undefined);
  expect(await Promise.all([voiding, selling, holding])).toEqual([['recorded'], ['recorded'], undefined]);
  expect(await parkedAs('a')).toEqual([{ status: 'cancelled', reason: 'voided' }]);
});

describe('a mark', () => {
  it('is kept as long as identities are, and goes with them', async () => {
    await till.recordOutcomes(voided('v', 'p1'));
    const withCancelled = true;
    expect(await forgetIdentities(store.owned, { before: now, withCancelled })).toBe(0);
    expect(await store.sql('SELECT key FROM cancel_mark')).toHaveLength(1);
    expect(await forgetIdentities(store.owned, { before: now + 2 * dayMs, withCancelled })).toBe(2);
    expect(await store.sql('SELECT key FROM cancel_mark')).toEqual([]);
  });

  it('outlives its use with the identity of the purchase: a sale told again is not new', async () => {
    await till.recordOutcomes(voided('v', 'p1'), purchase('p1', 'a'));
    await forgetIdentities(store.owned, { before: now + 2 * dayMs, withCancelled: false });
    expect(await till.recordOutcomes(purchase('q', 'a', 'p1'))).toEqual(['duplicate-business-key']);
  });

  it('holds nothing of the person in the clear, and nothing that can be opened after an erasure', async () => {
    await till.recordOutcomes(voided('v', 'p1', { total: '59.99 EUR' }));
    const [mark] = await store.sql<MarkPlace & { readonly sealed: Buffer }>(
      'SELECT lane_id AS "laneId", key, topic, partition, kafka_offset AS "offset", sealed FROM cancel_mark',
    );
    await store.learnKeys();
    expect(store.keys.members.openFor({ column: 'cancel_mark.sealed', ...mark! }, mark!.sealed)).toContain(personal);
    const rows = await store.sql<{ row: string }>('SELECT m::text AS row FROM cancel_mark m');
    expect(rows[0]!.row).not.toContain('59.99');
    await store.database.transaction('erase', (session) =>
      destroyKey(session, { laneId: mark!.laneId, at: now, now, erasedName: erasedName(store.keys.mac, 'a') }),
    );
    expect(await store.sql('SELECT FROM member_key')).toEqual([]);
    expect(await till.recordOutcomes(purchase('p1', 'a'))).toEqual(['erased']);
  });

  it('is not left by an erased member', async () => {
    await till.recordOutcomes(purchase('p0', 'a'));
    const { lane_id: laneId } = await laneOf(store, 'a');
    await store.database.transaction('erase', (session) =>
      destroyKey(session, { laneId, at: now, now, erasedName: erasedName(store.keys.mac, 'a') }),
    );
    expect(await till.recordOutcomes(voided('v', 'p1'))).toEqual(['erased']);
    expect(await store.sql('SELECT lane_id FROM member_key')).toEqual([]);
    expect(await store.sql('SELECT FROM cancel_mark')).toEqual([]);
  });
});
