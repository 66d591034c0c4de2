import type { IntentEvent, PassContent } from '#intents/core';

import { erasedName } from '../erasure/erased-names.js';
import { destroyKey, finishErasures } from '../erasure/erasure.js';
import { MemberKeys, openPayload, openSourceEvent } from '../keys/member-keys.js';
import { begin, claim, claimOne, completion, deliverOne, leaseMs, record, stepOf } from '../../testing/lease.js';
import type { TestEvent } from '../../testing/records.js';
import {
  enrolment,
  historyOf,
  laneOf,
  namesOfRow,
  now,
  personal,
  program,
  purchase,
  purchaseKey,
  Till,
  transactionIntent,
  update,
  updateIntent,
} from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(8);
  till = new Till(store);
});

afterEach(() => store.close());

/** The member leaves and wants to be forgotten; the opt-out is an update. */
function erasing(id: string, memberId = 'a', leaves = true): TestEvent {
  const event = update(id, memberId);
  const cancel = { program, memberId, target: 'everything-queued', reason: 'opted-out', ifTooLate: null } as const;
  const memberEffects = { raisesGeneration: true, erase: true };
  const verdict = { ...event.verdict, cancels: leaves ? [cancel] : [], memberEffects };
  return { ...event, type: 'loyalty.member.opted-out.v1', verdict };
}

interface MemberRow {
  readonly generation: number;
  readonly erased_seq: number;
  readonly has_key: boolean;
}

async function memberRow(memberId = 'a'): Promise<MemberRow> {
  const [row] = await store.sql<MemberRow>(
    `SELECT generation, erased_seq, wrapped_key IS NOT NULL AS has_key
     FROM member LEFT JOIN member_key USING (lane_id) WHERE member_id = ANY ($1::text[])`,
    namesOfRow(store, memberId),
  );
  return row!;
}

const later = { now: now + leaseMs + 1 };

/** What the lane's next claim can open: `seq` to operation, null for what is closed for ever. */
async function opened(change = later): Promise<Record<number, string | null>> {
  const [lane] = await claim(store, change);
  const intents = [...(lane?.intents ?? [])].map(([seq, { command }]) => [seq, command?.operation ?? null] as const);
  return Object.fromEntries(intents);
}

async function parkAsUnknown(): Promise<void> {
  const lease = await begin(store, await claimOne(store));
  const unknown: IntentEvent = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: null };
  const parked: IntentEvent = { type: 'IntentParked', at: now, reason: 'unknown-outcome', lane: 'block' };
  await record(store, stepOf(lease, { completion: completion(lease, 'block', { events: [unknown, parked] }) }));
}

describe('the wish to be forgotten', () => {
  it('cancels what is queued and closes everything recorded so far; the opt-out itself can be sent', async () => {
    expect(await till.recordOutcomes(enrolment('e', 'a'), purchase('p1', 'a'), erasing('x'))).toEqual(
      Array(3).fill('recorded'),
    );
    expect((await historyOf(store, 'a')).filter((line) => line.endsWith('IntentCancelled'))).toEqual([
      ...['1 IntentCancelled', '2 IntentCancelled'],
    ]);
    expect(await memberRow()).toEqual({ generation: 2, erased_seq: 2, has_key: true });
    expect(await opened()).toEqual({ 1: null, 2: null, 3: 'update-via-workflow' });
  });

  it('leaves no key that opens what was sealed before, and nothing of its own event', async () => {
    await till.recordOutcomes(enrolment('e', 'a'), erasing('x'));
    const rows = await store.sql<{ lane_id: number; seq: number; payload: Buffer; wrapped_key: Buffer }>(
      'SELECT lane_id, seq, payload, wrapped_key FROM intent JOIN member_key USING (lane_id) ORDER BY seq',
    );
    const keys = new MemberKeys(store.keyring, store.random);
    const place = (row: (typeof rows)[number]) => ({
      ...{ laneId: row.lane_id, seq: row.seq },
      key: keys.learn(row.lane_id, row.wrapped_key),
    });
    const [before, optOut] = rows;
    expect(() => openPayload(keys, place(before!), before!.payload)).toThrow('do not open');
    expect(openPayload(keys, place(optOut!), optOut!.payload)).toMatchObject({ operation: 'update-via-workflow' });
    expect(JSON.stringify(openSourceEvent(keys, place(optOut!), optOut!.payload))).not.toContain(personal);
  });

  it('without leaving the program cancels what is queued, too', async () => {
    await till.recordOutcomes(purchase('p1', 'a'), erasing('x', 'a', false));
    expect(await historyOf(store, 'a')).toContain('1 IntentCancelled');
    expect(await opened()).toEqual({ 1: null, 2: 'update-via-workflow' });
  });

  it('of somebody who was never seen is still told to the partner, and nothing is kept', async () => {
    expect(await till.recordOutcomes(erasing('x'))).toEqual(['recorded']);
    await deliverOne(store);
    expect(await finishErasures(store.database, now)).toBe(1);
    expect(await memberRow()).toEqual({ generation: 1, erased_seq: 1, has_key: false });
  });

  it('leaves other members alone', async () => {
    await till.recordOutcomes(purchase('b1', 'b'), purchase('a1', 'a'), erasing('x'));
    expect(await historyOf(store, 'b')).toEqual(['1 IntentRecorded']);
    expect(await memberRow('b')).toEqual({ generation: 1, erased_seq: 0, has_key: true });
  });

  it('parks as erased what may have taken effect, and its lane goes on', async () => {
    await till.recordOutcomes(enrolment('e', 'a'), purchase('p1', 'a'));
    await parkAsUnknown();
    expect(await laneOf(store, 'a')).toMatchObject({ state: 'blocked' });
    await till.recordOutcomes(erasing('x'));
    const [row] = await store.sql(
      `SELECT data FROM intent_history WHERE type = 'IntentParked' AND seq = 1 ORDER BY version DESC LIMIT 1`,
    );
    expect(row).toEqual({ data: { reason: 'erased', lane: 'continue' } });
    expect(await laneOf(store, 'a')).toMatchObject({ state: 'live', due_at: now, cur_seq: 1 });
    expect(await historyOf(store, 'a')).toContain('2 IntentCancelled');
  });

  it('lets the call that is under way come to its end, and closes what would need another', async () => {
    await till.recordOutcomes(purchase('p1', 'a'));
    const lease = await begin(store, await claimOne(store));
    await till.recordOutcomes(erasing('x'));
    const applied: IntentEvent = { type: 'AttemptApplied', at: now, attempt: 1 };
    expect(
      await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [applied] }) })),
    ).toMatchObject({ completed: true });
    expect((await historyOf(store, 'a')).at(-1)).toBe('1 AttemptApplied');
    expect(await opened()).toMatchObject({ 2: 'update-via-workflow' });
  });

  it('cancels what was put back behind the head', async () => {
    await till.recordOutcomes(purchase('p1', 'a'), purchase('p2', 'a'));
    const lease = await claimOne(store);
    const parks = completion(lease, 'settle', {
      events: [{ type: 'IntentParked', at: now, reason: 'rejected', lane: 'continue' }],
    });
    await record(store, stepOf(lease, { completion: parks }));
    await store.sql('UPDATE lane SET redo = ARRAY[1], cur_seq = 1');
    await store.sql(`INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data)
      SELECT lane_id, 1, version + 1, 0, epoch, 'IntentReplayed', clock_timestamp(), '{"by":"o","reason":"r","overtaken":0}'
      FROM lane`);
    await store.sql('UPDATE lane SET version = version + 1');
    await till.recordOutcomes(erasing('x'));
    expect((await historyOf(store, 'a')).filter((line) => line.endsWith('IntentCancelled')).toSorted()).toEqual([
      ...['1 IntentCancelled', '2 IntentCancelled'],
    ]);
  });

  it('cancels everything, however much is queued', async () => {
    const count = 2_600;
    for (let from = 0; from < count; from += 400) {
      const length = Math.min(400, count - from);
      await till.record(...Array.from({ length }, (_, index) => purchase(`p${from + index}`, 'a')));
    }
    await till.recordOutcomes(erasing('x'));
    const history = await historyOf(store, 'a');
    expect(history.filter((line) => line.endsWith('IntentCancelled'))).toHaveLength(count);
    expect(await memberRow()).toMatchObject({ erased_seq: count });
  });
});

describe('an opt-out that the partner has not been told of when its member is erased', () => {
  const ofSms: PassContent = { smsSubscription: 900 };
  const ofWallet: PassContent = { passdata: { optOut: true } };
  const ofBoth = { ...ofSms, ...ofWallet };

  function optOut(id: string, content: PassContent, erases = false): TestEvent {
    const event = erases ? erasing(id, 'a', false) : update(id, 'a');
    const intents = [updateIntent('a', content)];
    return { ...event, type: 'loyalty.member.opted-out.v1', verdict: { ...event.verdict, intents } };
  }

  /** What each intent that can be opened says. */
  async function said(): Promise<(PassContent | undefined)[]> {
    const [lane] = await claim(store, { now: now + 3 * leaseMs });
    const commands = [...(lane?.intents ?? [])].toSorted(([a], [b]) => a - b).map(([, { command }]) => command);
    return commands.flatMap((command) => (command?.operation === 'update-via-workflow' ? [command.content] : []));
  }

  it.each([
    ['in one batch', [[optOut('w', ofWallet), optOut('x', ofSms, true)]]],
    ['in a batch each', [[optOut('w', ofWallet)], [optOut('x', ofSms, true)]]],
  ])('is told by the one that erases: %s', async (_name, batches) => {
    for (const events of batches) await till.recordOutcomes(...events);
    expect((await historyOf(store, 'a')).at(-2)).toBe('1 IntentCancelled');
    expect(await said()).toEqual([ofBoth]);
  });

  it('is told also when an earlier one that erases is still queued', async () => {
    await till.recordOutcomes(optOut('x', ofWallet, true), optOut('y', ofSms, true));
    expect(await said()).toEqual([ofBoth]);
  });

  it('is told while its call is under way: nobody could try it again', async () => {
    await till.recordOutcomes(optOut('w', ofWallet));
    await begin(store, await claimOne(store));
    await till.recordOutcomes(optOut('x', ofSms, true));
    expect(await said()).toEqual([ofBoth]);
  });

  it('is not told again where it was delivered', async () => {
    await till.recordOutcomes(optOut('w', ofWallet));
    await deliverOne(store);
    await till.recordOutcomes(optOut('x', ofSms, true));
    expect(await said()).toEqual([ofSms]);
  });

  it('is alone what is told: no other update is', async () => {
    await till.recordOutcomes(update('u', 'a'), optOut('x', ofSms, true));
    expect(await said()).toEqual([ofSms]);
  });
});

describe('the key of the opt-out', () => {
  it('stays until the opt-out is settled, then goes', async () => {
    await till.recordOutcomes(purchase('p1', 'a'), erasing('x'));
    expect(await finishErasures(store.database, now)).toBe(0);
    expect(await memberRow()).toMatchObject({ has_key: true });
    const lease = await claimOne(store);
    await record(store, stepOf(lease, { completion: completion(lease, 'settle') }));
    await deliverOne(store);
    expect(await finishErasures(store.database, now)).toBe(1);
    expect(await memberRow()).toEqual({ generation: 2, erased_seq: 2, has_key: false });
    expect(await store.sql('SELECT FROM erasure')).toEqual([]);
  });

  it('stays with a member who came back before that', async () => {
    await till.recordOutcomes(erasing('x'));
    await deliverOne(store);
    await till.recordOutcomes(enrolment('e', 'a'));
    expect(await finishErasures(store.database, now)).toBe(1);
    expect(await memberRow()).toMatchObject({ erased_seq: 0, has_key: true });
    expect(await opened()).toMatchObject({ 2: 'issue' });
  });
});

describe('an event for a member without a key', () => {
  beforeEach(async () => {
    await till.recordOutcomes(enrolment('e', 'a'), { ...purchase('p1', 'a') });
    const { lane_id: laneId } = await laneOf(store, 'a');
    await store.database.transaction('erase', (session) =>
      destroyKey(session, { laneId, at: now - 100_000, now, erasedName: erasedName(store.keys.mac, 'a') }),
    );
  });

  it('is recorded under a new key and a new generation, from the enrolment on', async () => {
    await till.tell([enrolment('f', 'a'), now - 50_000], [purchase('p2', 'a'), now]);
    expect(await memberRow()).toEqual({ generation: 2, erased_seq: 2, has_key: true });
    expect(await opened()).toEqual({ 1: null, 2: null, 3: 'issue', 4: 'transaction' });
  });

  it('that was recorded before brings nobody back', async () => {
    expect(await till.recordOutcomes(purchase('p1', 'a'), enrolment('e', 'a'))).toEqual(
      Array(2).fill('duplicate-event'),
    );
    expect(await memberRow()).toMatchObject({ generation: 1, has_key: false });
  });

  it('of several partitions at once gives one key to all', async () => {
    const tills = Array.from({ length: 6 }, () => new Till(store));
    await Promise.all(
      tills.map((each, by) => each.tell([enrolment(`e${by}`, 'a'), now - 50_000], [purchase(`q${by}`, 'a'), now])),
    );
    expect(await memberRow()).toMatchObject({ generation: 2, has_key: true });
    expect(Object.values(await opened()).filter((operation) => operation === 'transaction')).toHaveLength(6);
  });

  it('knows the purchases of before: their numbers are the program\u2019s, not the person\u2019s', async () => {
    const again = transactionIntent('a', 'p1', { businessKey: purchaseKey('p1') });
    const event = purchase('other', 'a', 'p1');
    const { results } = await till.record({ ...event, verdict: { ...event.verdict, intents: [again] } });
    expect(results).toEqual([{ kind: 'quarantined', reason: 'conflict' }]);
  });
});

describe('erasures among the events of several partitions', () => {
  it('never leave an intent that its member\u2019s key does not open', async () => {
    const rounds = 25;
    const members = ['a', 'b', 'c'];
    /** Another process: keys of its own, which it remembers. */
    const sell = async (by: number): Promise<void> => {
      const own = new Till({ ...store, keys: store.newKeys() });
      for (let round = 0; round < rounds; round += 1) {
        await own.record(...members.map((member) => purchase(`p-${by}-${round}-${member}`, member)));
      }
    };
    const erase = async (): Promise<void> => {
      const own = new Till({ ...store, keys: store.newKeys() });
      for (let round = 0; round < rounds; round += 1) {
        await own.record(...members.map((member) => erasing(`x-${round}-${member}`, member)));
        await store.sql('UPDATE lane SET head_seq = tail_seq + 1, cur_seq = tail_seq + 1');
        await finishErasures(store.database, now);
      }
    };
    await Promise.all([sell(1), sell(2), sell(3), erase()]);
    const rows = await store.sql<{ lane_id: number; seq: number; payload: Buffer; wrapped_key: Buffer }>(
      `SELECT i.lane_id, i.seq, i.payload, k.wrapped_key FROM intent i JOIN member m USING (lane_id)
       JOIN member_key k USING (lane_id) WHERE i.seq > m.erased_seq`,
    );
    const keys = store.newMemberKeys();
    for (const { lane_id: laneId, seq, payload, wrapped_key: wrapped } of rows) {
      expect(openPayload(keys, { laneId, seq, key: keys.learn(laneId, wrapped) }, payload)).not.toBeNull();
    }
    for (const member of members) await historyOf(store, member);
    const [count] = await store.sql<{ sold: number }>(
      `SELECT (SELECT count(*) FROM intent WHERE operation = 'transaction')
         + (SELECT count(*) FROM quarantine WHERE reason = 'erased') AS sold`,
    );
    expect(count?.sold).toBe(3 * rounds * members.length);
  });
});
