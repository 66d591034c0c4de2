import type { IntentEvent } from '#intents/core';

import { IntentActionRepository } from '../operator/intent-action-repository.js';
import { openPayload } from '../keys/member-keys.js';
import { rebuildLanes } from '../rebuild/rebuild-lanes.js';
import { applied, begin, claimOne, completion, deliverOne, owner, record, stepOf } from '../../testing/lease.js';
import type { TestEvent } from '../../testing/records.js';
import {
  enrolment,
  historyOf,
  laneOf,
  namesOfRow,
  now,
  program,
  purchase,
  Till,
  update,
} from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import type { ErasureStep } from './erasure-repository.js';
import type { IngestKeys } from '../batch/recording.js';
import { ErasureRepository } from './erasure-repository.js';
import { finishErasures } from './erasure.js';

let store: TestStore;

/** As another process has them. */
function keysOfAnother(): IngestKeys {
  const { mac, quarantine, random } = store.keys;
  return { members: store.newMemberKeys(), mac, quarantine, random };
}
let till: Till;

beforeEach(async () => {
  store = await testStore(6);
  till = new Till(store);
});

afterEach(() => store.close());

const audit = { at: now, actor: 'ada', address: null, reason: 'asked by letter' };

/** Makes the erasure's job; a process works on it, and on no other. */
async function order(jobId: string, memberId = 'a'): Promise<void> {
  await store.sql(`UPDATE job SET state = 'paused'`);
  await store.sql(
    `INSERT INTO job (job_id, kind, program_id, request, reason, state, created_at, created_by, owner)
     VALUES ($1, 'erase', $2, jsonb_build_object('memberId', $3::text), 'asked by letter', 'running', now(), 'ada', $4::uuid)`,
    ...[jobId, program, memberId, owner],
  );
}

async function erase(jobId = 'j1', isPatient = true, memberId = 'a'): Promise<ErasureStep> {
  const { lane_id: laneId } = await laneOf(store, memberId);
  return new ErasureRepository(store.database, keysOfAnother()).eraseMember({
    jobId,
    laneId,
    memberId,
    since: now,
    audit,
    isPatient,
  });
}

/** The member has left the program; nothing is erased yet. */
function leaving(id: string, memberId = 'a'): TestEvent {
  const event = { ...update(id, memberId), type: 'loyalty.member.opted-out.v1' };
  return { ...event, verdict: { ...event.verdict, memberEffects: { raisesGeneration: true, erase: false } } };
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

const actions = () =>
  store.sql<{ action: string; actor: string; reason: string; detail: object }>(
    `SELECT action, actor, reason, detail FROM operator_action WHERE action = 'member.erase'`,
  );

const nothing = { cancelled: 0, parkedAsErased: 0, leftUnderWay: 0, optOutsUntold: 0 };

describe('an erasure on somebody\u2019s word', () => {
  it('cancels what is queued in that name, destroys the key, and leaves its trace', async () => {
    await till.record(enrolment('e', 'a'), purchase('p1', 'a'), purchase('b1', 'b'));
    await order('j1');
    const trace = { ...nothing, alreadyErased: false, intents: 2, cancelled: 2 };
    expect(await erase()).toEqual({ kind: 'erased', trace });
    const cancels = await store.sql<{ data: object }>(`SELECT data FROM intent_history WHERE type = 'IntentCancelled'`);
    expect(cancels).toEqual(Array(2).fill({ data: { by: 'ada', reason: 'asked by letter' } }));
    expect(await memberRow()).toEqual({ generation: 1, erased_seq: 2, has_key: false });
    expect(await memberRow('b')).toEqual({ generation: 1, erased_seq: 0, has_key: true });
    expect(await actions()).toEqual([
      { action: 'member.erase', actor: 'ada', reason: 'asked by letter', detail: { job: 'j1', ...trace } },
    ]);
  });

  it('is done once, however often its turn is made; a second one finds nothing left', async () => {
    await till.record(purchase('p1', 'a'));
    await order('j1');
    const first = await erase();
    const { version } = await laneOf(store, 'a');
    expect(await erase()).toEqual(first);
    expect(await actions()).toHaveLength(1);
    await order('j2');
    expect(await erase('j2')).toEqual({ kind: 'erased', trace: { ...nothing, alreadyErased: true, intents: 0 } });
    expect((await laneOf(store, 'a')).version).toBe(version);
  });

  it('waits for the call that is under way, and cancels the rest meanwhile', async () => {
    await till.record(purchase('p1', 'a'), purchase('p2', 'a'));
    const lease = await begin(store, await claimOne(store));
    await order('j1');
    expect(await erase()).toEqual({ kind: 'waiting', attempts: 1, optOuts: 0 });
    expect(await historyOf(store, 'a')).toContain('2 IntentCancelled');
    expect(await memberRow()).toMatchObject({ has_key: true });
    await record(store, stepOf(lease, { completion: applied(lease) }));
    expect(await erase()).toMatchObject({ kind: 'erased', trace: { intents: 2, cancelled: 1, leftUnderWay: 0 } });
    expect((await historyOf(store, 'a')).at(-1)).toBe('1 AttemptApplied');
  });

  it('waits for what is being found out, and for nothing once its patience has ended', async () => {
    await till.record(purchase('p1', 'a'));
    const lease = await begin(store, await claimOne(store));
    const lost: IntentEvent = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: now + 1 };
    await record(store, stepOf(lease, { completion: completion(lease, 'retry', { events: [lost], dueAt: now + 1 }) }));
    await order('j1');
    expect(await erase()).toEqual({ kind: 'waiting', attempts: 1, optOuts: 0 });
    expect(await erase('j1', false)).toMatchObject({ kind: 'erased', trace: { leftUnderWay: 1, intents: 1 } });
    expect(await memberRow()).toMatchObject({ erased_seq: 1, has_key: false });
  });

  it('parks as erased what may have taken effect, once, and its lane goes on', async () => {
    await till.record(purchase('p1', 'a'), purchase('p2', 'a'));
    const lease = await begin(store, await claimOne(store));
    const lost: IntentEvent = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: null };
    const parked: IntentEvent = { type: 'IntentParked', at: now, reason: 'unknown-outcome', lane: 'block' };
    await record(store, stepOf(lease, { completion: completion(lease, 'block', { events: [lost, parked] }) }));
    await order('j1');
    expect(await erase()).toMatchObject({ kind: 'erased', trace: { cancelled: 1, parkedAsErased: 1 } });
    expect(await laneOf(store, 'a')).toMatchObject({ state: 'live', due_at: now });
    await order('j2');
    await erase('j2');
    expect((await historyOf(store, 'a')).filter((line) => line === '1 IntentParked')).toHaveLength(2);
  });

  it('lets the partner be told first that the member has left', async () => {
    await till.record(purchase('p1', 'a'), leaving('x'), purchase('p2', 'a'));
    await order('j1');
    expect(await erase()).toEqual({ kind: 'waiting', attempts: 0, optOuts: 1 });
    expect((await historyOf(store, 'a')).filter((line) => line.endsWith('IntentCancelled'))).toEqual([
      ...['1 IntentCancelled', '3 IntentCancelled'],
    ]);
    const lease = await claimOne(store);
    await record(store, stepOf(lease, { completion: completion(lease, 'settle') }));
    expect(await erase()).toMatchObject({ kind: 'waiting' });
    await deliverOne(store);
    expect(await erase()).toEqual({
      kind: 'erased',
      trace: { ...nothing, alreadyErased: false, intents: 3, cancelled: 2 },
    });
  });

  it('says when the partner was not told: parked, or after all patience', async () => {
    await till.record(leaving('x'));
    const lease = await begin(store, await claimOne(store));
    const refused: IntentEvent = { type: 'AttemptRejected', at: now, attempt: 1, code: 'refused' };
    const parked: IntentEvent = { type: 'IntentParked', at: now, reason: 'rejected', lane: 'block' };
    await record(store, stepOf(lease, { completion: completion(lease, 'block', { events: [refused, parked] }) }));
    await order('j1');
    expect(await erase()).toMatchObject({ kind: 'erased', trace: { cancelled: 1, optOutsUntold: 1 } });
    await till.record(leaving('y', 'b'));
    await order('j2', 'b');
    expect(await erase('j2', true, 'b')).toMatchObject({ kind: 'waiting', optOuts: 1 });
    expect(await erase('j2', false, 'b')).toMatchObject({ kind: 'erased', trace: { cancelled: 1, optOutsUntold: 1 } });
  });

  it.each([
    ['there was nobody to be told of', 'loyaltyd', 'no-pass'],
    ['the member has consented since', 'source-event', 'overtaken'],
  ])('counts no opt-out as untold where %s', async (_name, by, reason) => {
    await till.record(leaving('x'));
    const lease = await claimOne(store);
    const cancelled: IntentEvent = { type: 'IntentCancelled', at: now, by, reason };
    await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [cancelled] }) }));
    await order('j1');
    expect(await erase()).toMatchObject({ kind: 'erased', trace: { cancelled: 0, optOutsUntold: 0 } });
  });

  it('ends an erasure that waited for an opt-out', async () => {
    const event = leaving('x');
    const verdict = { ...event.verdict, memberEffects: { raisesGeneration: true, erase: true } };
    await till.record(purchase('p1', 'a'), { ...event, verdict });
    await order('j1');
    expect(await erase()).toEqual({ kind: 'waiting', attempts: 0, optOuts: 1 });
    expect(await erase('j1', false)).toMatchObject({ kind: 'erased', trace: { intents: 1 } });
    expect(await store.sql('SELECT FROM erasure')).toEqual([]);
    expect(await finishErasures(store.database, now)).toBe(0);
  });

  it('does nothing once somebody has stopped it', async () => {
    await till.record(purchase('p1', 'a'));
    await order('j1');
    await store.sql(`UPDATE job SET state = 'paused'`);
    expect(await erase()).toEqual({ kind: 'stopped' });
    expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded']);
    expect(await memberRow()).toMatchObject({ has_key: true });
  });

  it('leaves lanes that a rebuild makes again as they are', async () => {
    await till.record(enrolment('e', 'a'), purchase('p1', 'a'), purchase('b1', 'b'), purchase('b2', 'b'));
    await store.sql(`UPDATE lane SET due_at = NULL WHERE lane_id = (SELECT lane_id FROM member WHERE member_id = 'a')`);
    await deliverOne(store);
    await order('j1', 'b');
    expect(await erase('j1', true, 'b')).toMatchObject({ kind: 'erased', trace: { cancelled: 1 } });
    const step = await claimOne(store);
    await record(store, stepOf(step, { completion: completion(step, 'settle') }));
    const lanes = () =>
      store.sql(`SELECT lane_id, program_id, version, head_seq, tail_seq, cur_seq, attempt_open, redo, ahead, issue_seq,
        pass, state FROM lane ORDER BY lane_id`);
    const before = await lanes();
    const members = await store.sql('SELECT * FROM member ORDER BY lane_id');
    await rebuildLanes(store.owned, now);
    expect(await lanes()).toEqual(before);
    expect(await store.sql('SELECT * FROM member ORDER BY lane_id')).toEqual(members);
  });

  it('lets who comes back begin anew, in a new generation, under a new key', async () => {
    await till.record(enrolment('e', 'a'));
    await order('j1');
    await erase();
    await till.record(enrolment('f', 'a'));
    expect(await memberRow()).toEqual({ generation: 2, erased_seq: 1, has_key: true });
    await order('j2');
    expect(await erase('j2')).toMatchObject({ trace: { alreadyErased: false, intents: 1, cancelled: 1 } });
  });

  it('takes what was parked long ago out of the reach of a replay', async () => {
    await till.record(purchase('p1', 'a'));
    const lease = await begin(store, await claimOne(store));
    const refused: IntentEvent = { type: 'AttemptRejected', at: now, attempt: 1, code: 'refused' };
    const parked: IntentEvent = { type: 'IntentParked', at: now, reason: 'rejected', lane: 'continue' };
    await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [refused, parked] }) }));
    await order('j1');
    await erase();
    const { lane_id: laneId } = await laneOf(store, 'a');
    const request = { place: { laneId, seq: 1 }, action: { kind: 'replay' }, audit } as const;
    expect(await new IntentActionRepository(store.database, store.keys.members).act(request)).toEqual({
      kind: 'refused',
      reason: 'nothing-to-send',
    });
  });

  it('among the events of several partitions leaves nothing that its member\u2019s key does not open', async () => {
    await till.record(purchase('first', 'a'));
    const rounds = 20;
    const sell = async (by: number): Promise<void> => {
      const own = new Till({ ...store, keys: keysOfAnother() });
      for (let round = 0; round < rounds; round += 1) await own.record(purchase(`p-${by}-${round}`, 'a'));
    };
    const forget = async (): Promise<void> => {
      for (let round = 0; round < rounds; round += 1) {
        await order(`r${round}`);
        expect(await erase(`r${round}`)).toMatchObject({ kind: 'erased' });
        await store.sql(`UPDATE job SET state = 'done' WHERE job_id = $1`, `r${round}`);
      }
    };
    await Promise.all([sell(1), sell(2), sell(3), forget()]);
    const rows = await store.sql<{ lane_id: number; seq: number; payload: Buffer; wrapped_key: Buffer }>(
      `SELECT i.lane_id, i.seq, i.payload, k.wrapped_key FROM intent i JOIN member m USING (lane_id)
       JOIN member_key k USING (lane_id) WHERE i.seq > m.erased_seq`,
    );
    const keys = store.newMemberKeys();
    for (const { lane_id: laneId, seq, payload, wrapped_key: wrapped } of rows) {
      expect(() => openPayload(keys, { laneId, seq, key: keys.learn(laneId, wrapped) }, payload)).not.toThrow();
    }
    const [count] = await store.sql<{ told: number }>(
      `SELECT (SELECT count(*) FROM intent) + (SELECT count(*) FROM quarantine WHERE reason = 'erased') AS told`,
    );
    expect(count?.told).toBe(3 * rounds + 1);
  });
});
