import type { Database } from '#platform';

import { openSourceEvent } from '../keys/member-keys.js';
import { whileLocked } from '../../testing/lease.js';
import type { TestEvent } from '../../testing/records.js';
import {
  enrolment,
  laneOf,
  now,
  personal,
  program,
  purchase,
  routingBy,
  setAside,
  Till,
  transactionIntent,
  update,
} from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { FlakyDatabase, testStore } from '../../testing/test-store.js';
import { QuarantineRepository } from './quarantine-repository.js';
import type { Correction } from './sealed-record.js';
import type { ResubmitResult, RouteRecord } from './quarantine-settlements.js';
import { lockQuarantined, QuarantineSettlements } from './quarantine-settlements.js';

let store: TestStore;
let settlements: QuarantineSettlements;
let quarantine: QuarantineRepository;
let till: Till;

beforeEach(async () => {
  store = await testStore(8);
  settlements = new QuarantineSettlements(store.database, store.keys);
  quarantine = new QuarantineRepository(store.database, store.keys);
  till = new Till(store);
});

afterEach(() => store.close());

const audit = { at: now + 5, actor: 'ada', address: '127.0.0.1', reason: 'the programs file is mended' };
/** Whoever asks may. */
const permit = (): string[] => [];

interface Asked {
  readonly route?: RouteRecord;
  readonly correction?: Correction;
  readonly actor?: string;
}

async function resubmit(
  quarantineId: number,
  asked: Asked = {},
  database: Database = store.database,
): Promise<ResubmitResult> {
  const { route = routingBy({ p: purchase('p', 'a') }), correction = null, actor = 'ada' } = asked;
  const request = { quarantineId, correction, audit: { ...audit, actor }, permit };
  return new QuarantineSettlements(database, store.keys).resubmit(request, route);
}

async function only(text: string): Promise<number> {
  const [id] = await setAside(store, till, [text]);
  return id!;
}

/** Every row of every table, as text. */
async function everything(): Promise<string[]> {
  const names = await store.sql<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY 1`,
  );
  const rows: string[] = [];
  for (const { name } of names) {
    const found = await store.sql<{ row: string }>(`SELECT t::text AS row FROM ${name} t ORDER BY 1`);
    rows.push(...found.map(({ row }) => `${name} ${row}`));
  }
  return rows;
}

async function purchases(): Promise<string[]> {
  const rows = await store.sql<{ purchase_id: string }>('SELECT purchase_id FROM intent ORDER BY lane_id, seq');
  return rows.map((row) => row.purchase_id);
}

describe('a record that is resubmitted', () => {
  it('becomes the intent it would have become, caused by where it lay, with its mark and its trace', async () => {
    await till.record(purchase('before', 'a'));
    const id = await only('p');
    const offsets = await store.sql('SELECT * FROM kafka_offset');
    const letters = await store.sql('SELECT * FROM dead_letter_outbox');
    expect(await resubmit(id)).toEqual({ kind: 'done', result: 'recorded' });
    const [intent] = await store.sql('SELECT * FROM intent WHERE seq = 2');
    const { topic, partition } = till.source;
    expect(intent).toMatchObject({
      ...{ topic, partition, kafka_offset: 1, purchase_id: 'p', broker_at: now - 30_000, recorded_at: now + 5 },
      programs_hash: Buffer.alloc(16, 2),
    });
    expect(await laneOf(store, 'a')).toMatchObject({ tail_seq: 2, cur_seq: 1, due_at: now });
    expect(await quarantine.find(id)).toMatchObject({
      state: 'resubmitted',
      settlement: {
        ...{ at: now + 5, actor: 'ada', reason: audit.reason, result: 'recorded', ignoredReason: null },
        intent: { program, memberId: 'a', seq: 2 },
      },
    });
    const { lane_id: laneId } = await laneOf(store, 'a');
    expect(await store.sql('SELECT action, actor, address, reason, lane_id, seq, detail FROM operator_action')).toEqual(
      [
        {
          ...{ action: 'quarantine.resubmit', actor: 'ada', address: '127.0.0.1', reason: audit.reason },
          ...{ lane_id: laneId, seq: 2 },
          detail: { quarantine: id, topic, partition, offset: 1, result: 'recorded', reason: null, corrected: false },
        },
      ],
    );
    expect(await store.sql('SELECT * FROM kafka_offset')).toEqual(offsets);
    expect(await store.sql('SELECT * FROM dead_letter_outbox')).toEqual(letters);
    expect(await store.sql('SELECT count(*) FROM quarantine')).toEqual([{ count: 1 }]);
  });

  it('stays as it is where it would be set aside again, and nothing else is changed either', async () => {
    const id = await only('p');
    const before = await everything();
    expect(await resubmit(id, { route: routingBy({}) })).toEqual({
      ...{ kind: 'refused', reason: 'unknown-program', detail: 'data.program: unknown' },
    });
    expect(await everything()).toEqual(before);
    expect(await resubmit(id)).toMatchObject({ kind: 'done' });
  });

  it('stays as it is where it says something else than what was recorded', async () => {
    await till.record(purchase('p', 'a'));
    const other = { ...purchase('q', 'a', 'p'), content: 'other' };
    const [intent] = other.verdict.intents;
    const route = routingBy({
      p: { ...other, verdict: { ...other.verdict, intents: [{ ...intent!, businessContent: '1' }] } },
    });
    const id = await only('p');
    const before = await everything();
    expect(await resubmit(id, { route })).toEqual({ kind: 'refused', reason: 'conflict', detail: 'business-key' });
    expect(await everything()).toEqual(before);
  });

  it('stays as it is where the database refuses what it says', async () => {
    const long = transactionIntent('a', 'p', { facts: { purchaseId: 'p', amount: '0.01', currency: 'no\u0000text' } });
    const event = purchase('p', 'a');
    const route = routingBy({ p: { ...event, verdict: { ...event.verdict, intents: [long] } } });
    const id = await only('p');
    const before = await everything();
    const refused = { kind: 'refused', reason: 'invalid', detail: 'record: insert_intents failed (22021)' };
    expect(await resubmit(id, { route })).toEqual(refused);
    expect(await everything()).toEqual(before);
  });

  it('knows of none of another id', async () => {
    expect(await resubmit((await only('p')) + 1)).toEqual({ kind: 'absent' });
  });

  it.each<[string, TestEvent, object | null]>([
    ['stale', update('u', 'a'), null],
    ['duplicate-business-key', purchase('q', 'a', 'known'), { program, memberId: 'a', seq: 1 }],
    ['duplicate-event', purchase('known', 'a'), { program, memberId: 'a', seq: 1 }],
  ])('is taken in and comes to nothing where ingest would ignore it: %s', async (reason, event, intent) => {
    const newest = update('newest', 'a');
    const profilePosition = { sequence: null, timeMs: now };
    await till.record(purchase('known', 'a'), { ...newest, verdict: { ...newest.verdict, profilePosition } });
    const older = { ...event, verdict: { ...event.verdict, profilePosition: { sequence: null, timeMs: now - 1 } } };
    const id = await only('p');
    const result = reason === 'stale' ? 'ignored' : 'duplicate';
    const route = routingBy({ p: reason === 'stale' ? older : event });
    expect(await resubmit(id, { route })).toEqual({ kind: 'done', result });
    const { settlement, state } = (await quarantine.find(id))!;
    expect(state).toBe('resubmitted');
    expect(settlement).toMatchObject({ result, ignoredReason: reason, intent });
    expect(await store.sql('SELECT count(*) FROM intent')).toEqual([{ count: 2 }]);
  });

  it('corrects an enrolment that was not begun, and names it', async () => {
    await till.record(enrolment('e', 'a'));
    const id = await only('p');
    const route = routingBy({ p: enrolment('e2', 'a', 'Grace') });
    expect(await resubmit(id, { route })).toEqual({ kind: 'done', result: 'recorded' });
    const { settlement } = (await quarantine.find(id))!;
    expect(settlement?.intent).toEqual({ program, memberId: 'a', seq: 1 });
    expect(await store.sql('SELECT type FROM intent_history')).toEqual([{ type: 'IntentCorrected' }]);
  });
});

describe('a record and what its producer sends in the meantime', () => {
  it('come to one intent: the resend first', async () => {
    const id = await only('p');
    await till.record(purchase('p', 'a'));
    expect(await resubmit(id)).toEqual({ kind: 'done', result: 'duplicate' });
    expect(await purchases()).toEqual(['p']);
    const { settlement } = (await quarantine.find(id))!;
    expect(settlement?.intent).toEqual({ program, memberId: 'a', seq: 1 });
  });

  it('come to one intent: the resubmit first', async () => {
    const id = await only('p');
    await resubmit(id);
    const { results } = await till.record(purchase('p', 'a'));
    expect(results).toEqual([{ kind: 'ignored', reason: 'duplicate-event' }]);
    expect(await purchases()).toEqual(['p']);
  });

  it('come to one intent: both at once, for a member that both are the first to name', async () => {
    const count = 12;
    const names = Array.from({ length: count }, (_, index) => `p${index}`);
    const ids = await setAside(store, till, names);
    const route = routingBy(Object.fromEntries(names.map((name) => [name, purchase(name, `m-${name}`)])));
    const resends = new Till(store);
    const [outcomes, { results }] = await Promise.all([
      Promise.all(ids.map((id) => resubmit(id, { route }))),
      resends.record(...names.map((name) => purchase(name, `m-${name}`))),
    ]);
    expect((await purchases()).toSorted()).toEqual(names.toSorted());
    const taken = results.filter(({ kind }) => kind === 'recorded').length;
    const resubmitted = outcomes.filter((outcome) => 'result' in outcome && outcome.result === 'recorded').length;
    expect(taken + resubmitted).toBe(count);
    expect(outcomes.map(({ kind }) => kind)).toEqual(names.map(() => 'done'));
  });

  it('come to one intent: the other is committed while we wait for it', async () => {
    await till.record(purchase('first', 'a'));
    const id = await only('p');
    const { lane_id: laneId } = await laneOf(store, 'a');
    const outcome = await whileLocked(
      store,
      (session) => session.query({ name: 'hold', text: 'SELECT FROM lane WHERE lane_id = $1 FOR UPDATE' }, [laneId]),
      async () => (await Promise.all([resubmit(id), till.record(purchase('p', 'a'))]))[0],
    );
    expect(outcome).toMatchObject({ kind: 'done' });
    expect(await purchases()).toEqual(['first', 'p']);
  });
});

describe('two operators', () => {
  it('deal with a record once, whoever is faster', async () => {
    const id = await only('p');
    const actors = ['ada', 'bob', 'eve', 'kim'];
    const outcomes = await Promise.all(actors.map((actor) => resubmit(id, { actor })));
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['done', 'settled', 'settled', 'settled']);
    const winner = actors[outcomes.findIndex(({ kind }) => kind === 'done')];
    expect(await store.sql('SELECT actor FROM operator_action')).toEqual([{ actor: winner }]);
    expect(await purchases()).toEqual(['p']);
  });

  it('wait for each other: the one who comes second hears what the first did', async () => {
    const id = await only('p');
    const second = await whileLocked(
      store,
      async (session) => {
        await lockQuarantined(session, id);
        await session.query({
          name: 'discard_by_hand',
          text: `UPDATE quarantine SET state = 'discarded' WHERE quarantine_id = ${id}`,
        });
      },
      () => resubmit(id),
    );
    expect(second).toEqual({ kind: 'settled' });
  });

  it('cannot take in what was given up, nor give up what was taken in', async () => {
    const [first, second] = (await setAside(store, till, ['p', 'p'])) as [number, number];
    expect(await settlements.discard({ quarantineId: first, audit })).toEqual({ kind: 'done' });
    expect(await resubmit(first)).toEqual({ kind: 'settled' });
    expect(await resubmit(second)).toMatchObject({ kind: 'done' });
    expect(await settlements.discard({ quarantineId: second, audit })).toEqual({ kind: 'settled' });
    expect(await settlements.discard({ quarantineId: second + 9, audit })).toEqual({ kind: 'absent' });
    const { topic, partition } = till.source;
    const [trace] = await store.sql('SELECT action, lane_id, seq, detail FROM operator_action ORDER BY action_id');
    const detail = { quarantine: first, topic, partition, offset: 0 };
    expect(trace).toEqual({ action: 'quarantine.discard', lane_id: null, seq: null, detail });
    expect((await quarantine.read(first))?.value).not.toBeNull();
  });
});

describe('a correction', () => {
  const corrected = JSON.stringify({ text: 'p', personal });

  it('is taken instead of what arrived, and kept beside it', async () => {
    const id = await only('broken');
    const arrived = await quarantine.read(id);
    expect(await resubmit(id)).toMatchObject({ kind: 'refused' });
    const correction = { value: corrected, headersText: '{"x":"z"}', key: 'k' };
    expect(await resubmit(id, { correction })).toEqual({ kind: 'done', result: 'recorded' });
    expect(await quarantine.read(id)).toEqual(arrived);
    expect(await quarantine.readCorrection(id)).toEqual(correction);
    const [intent] = await store.sql<{ payload: Buffer; lane_id: number }>('SELECT payload, lane_id FROM intent');
    const [key] = await store.sql<{ wrapped_key: Buffer }>('SELECT wrapped_key FROM member_key');
    const { lane_id: laneId, payload } = intent!;
    const place = { laneId, seq: 1, key: store.keys.members.learn(laneId, key!.wrapped_key) };
    expect(openSourceEvent(store.keys.members, place, payload)).toEqual({ headers: '{"x":"z"}', value: corrected });
    const [trace] = await store.sql<{ detail: object }>('SELECT detail FROM operator_action');
    expect(trace?.detail).toMatchObject({ corrected: true });
  });

  it('is sealed, and belongs to its record alone', async () => {
    const [first, second] = (await setAside(store, till, ['broken', 'p'])) as [number, number];
    await resubmit(first, { correction: { value: corrected } });
    await resubmit(second);
    const rows = await everything();
    expect(rows.filter((row) => row.includes(personal) || row.includes(Buffer.from(personal).toString('hex')))).toEqual(
      [],
    );
    expect(await quarantine.readCorrection(second)).toBeNull();
    await store.sql('ALTER TABLE quarantine_settlement DISABLE TRIGGER USER');
    await store.sql(
      `UPDATE quarantine_settlement SET sealed_correction = (SELECT sealed_correction FROM quarantine_settlement
         WHERE quarantine_id = ${first}) WHERE quarantine_id = ${second}`,
    );
    expect(await quarantine.readCorrection(second)).toBe('lost');
  });

  it('cannot be rewritten', async () => {
    const id = await only('broken');
    await resubmit(id, { correction: { value: corrected } });
    for (const change of [`sealed_correction = '\\x01'`, `sealed_correction = NULL, result = 'ignored'`]) {
      await expect(store.sql(`UPDATE quarantine_settlement SET ${change}`)).rejects.toThrow('23000');
    }
  });
});

describe('a record whose bytes cannot be opened', () => {
  it('is said to be lost, until somebody tells what it was', async () => {
    const [first, second] = (await setAside(store, till, ['p', 'p'])) as [number, number];
    const { members, mac, random } = store.keys;
    const forgotten = { members, mac, random, quarantine: store.random.bytes(32) };
    const request = { quarantineId: first, correction: null, audit, permit };
    const route = routingBy({ p: purchase('p', 'a') });
    const forgetful = new QuarantineSettlements(store.database, forgotten);
    expect(await forgetful.resubmit(request, route)).toEqual({ kind: 'lost' });
    const half = { ...request, correction: { value: '{"text":"p"}' } };
    expect(await forgetful.resubmit(half, route)).toEqual({ kind: 'lost' });
    const whole = { ...request, correction: { value: '{"text":"p"}', headersText: '{}' } };
    expect(await forgetful.resubmit(whole, route)).toMatchObject({ kind: 'done' });
    await store.sql('UPDATE quarantine SET sealed_value = NULL WHERE quarantine_id = $1', second);
    expect(await resubmit(second)).toEqual({ kind: 'lost' });
    expect(await quarantine.read(second)).toMatchObject({ isUnreadable: true });
  });
});

describe('a resubmit that is cut off', () => {
  it('has changed nothing, and is repeated by itself after a deadlock', async () => {
    const id = await only('p');
    const before = await everything();
    const broken = new FlakyDatabase(store.database, { statement: 'settle_quarantined', kind: 'failed' });
    await expect(resubmit(id, {}, broken)).rejects.toThrow('settle_quarantined');
    expect(await everything()).toEqual(before);
    const contended = new FlakyDatabase(store.database, { statement: 'insert_intents', kind: 'contention' });
    expect(await resubmit(id, {}, contended)).toEqual({ kind: 'done', result: 'recorded' });
    expect(contended.hasFailed).toBe(true);
    expect(await purchases()).toEqual(['p']);
  });
});
