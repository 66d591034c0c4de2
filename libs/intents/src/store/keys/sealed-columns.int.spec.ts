import type { IdentityPlace, PartnerCommand, TransactionCommand } from '#intents/core';
import type { SealContext } from '#platform';
import { SealBrokenError, unseal } from '#platform';

import { begin, claimOne, completion, record, stepOf, tryClaim } from '../../testing/lease.js';
import {
  cancelling,
  enrolment,
  laneOf,
  now,
  originalOf,
  program,
  purchase,
  purchaseKey,
  routingBy,
  Till,
} from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { openInstallation } from '../installation.js';
import type { RevisedCommand } from '../operator/intent-action-repository.js';
import { IntentActionRepository } from '../operator/intent-action-repository.js';
import { loadCommands } from '../operator/load-commands.js';
import { adoptPasses } from '../passes/adopt-passes.js';
import { findPassNames } from '../passes/pass-names.js';
import { QuarantineSettlements } from '../quarantine/quarantine-settlements.js';
import { rotateKeys } from './rotate-keys.js';
import type { SealPlace } from './seal-place.js';
import { contextOf } from './seal-place.js';

/** Digests and other bytes in the clear: of no use in another place. Whatever else is `bytea` is taken for sealed. */
const plainColumns: readonly string[] = [
  'cancel_mark.key',
  'cancel_mark.total_mac',
  'daemon_process.programs_hash',
  'dedup.body_mac',
  'dedup.key',
  'intent.dedup_key',
  'intent.programs_hash',
  'intent.receipt',
  'intent.waits_for_key',
  'kafka_offset.last_fingerprint',
  'member.enrolment_key',
  'member.enrolment_mac',
  'member.person_macs',
  'pass_holder.name_mac',
  'programs_load.programs_hash',
  'programs_reload.programs_hash',
  'quarantine.number_key',
  'quarantine.person_macs',
  'quarantine_name.name_mac',
];

type Column = SealPlace['column'];

const ofEvent = `lane_id AS "laneId", seq, type, attempt, epoch, version`;
const ofRecord = `quarantine_id AS "quarantineId", topic, partition, last_offset AS "lastOffset"`;

/** By what the rows of a sealed column are bound, as the database has them. */
const rowsOf: Readonly<Record<Column, string>> = {
  'cancel_mark.sealed': 'lane_id AS "laneId", key, topic, partition, kafka_offset AS "offset"',
  'installation.wrapped_mac_key': '1',
  'installation.wrapped_quarantine_key': '1',
  'intent.payload': 'lane_id AS "laneId", seq',
  'intent_event.sealed': ofEvent,
  'member_key.wrapped_key': 'lane_id AS "laneId"',
  'quarantine.sealed_headers': ofRecord,
  'quarantine.sealed_key': ofRecord,
  'quarantine.sealed_value': ofRecord,
  'quarantine_settlement.sealed_correction': 'quarantine_id AS "quarantineId"',
};

interface Cell {
  readonly place: SealPlace;
  readonly bytes: Buffer;
  /** Opens its bytes by the key that sealed them. */
  readonly open: (context: SealContext) => Uint8Array;
}

let store: TestStore;
let till: Till;

beforeAll(async () => {
  store = await testStore(4);
  till = new Till(store);
});

afterAll(() => store.close());

const audit = { at: now + 5, actor: 'ada', address: '127.0.0.1', reason: 'the till had the wrong amount' };

async function byteColumns(): Promise<string[]> {
  const rows = await store.sql<{ name: string }>(
    `SELECT c.relname || '.' || a.attname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.atttypid = 'bytea'::regtype
       AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

function openerFor(column: Column, place: SealPlace, bytes: Buffer): Cell['open'] {
  if (column.includes('.wrapped_')) return (context) => store.keyring.unwrap(bytes, context);
  if (column.startsWith('quarantine')) {
    return (context) => unseal({ key: store.keys.quarantine, sealed: bytes, context });
  }
  const { laneId } = place as Extract<SealPlace, { readonly laneId: number }>;
  const key = memberKeys.get(laneId);
  if (key === undefined) throw new Error(`lane ${laneId} has no key`);
  return (context) => unseal({ key, sealed: bytes, context });
}

const memberKeys = new Map<number, Uint8Array>();

async function learnKeys(): Promise<void> {
  const rows = await store.sql<{ laneId: number; wrapped: Buffer }>(
    'SELECT lane_id AS "laneId", wrapped_key AS wrapped FROM member_key',
  );
  const keys = store.newMemberKeys();
  for (const { laneId, wrapped } of rows) memberKeys.set(laneId, keys.learn(laneId, wrapped));
}

async function cells(): Promise<Cell[]> {
  const found: Cell[] = [];
  for (const [column, place] of Object.entries(rowsOf) as [Column, string][]) {
    const [table, name] = column.split('.') as [string, string];
    const text = `SELECT ${place}, ${name} AS bytes FROM ${table} WHERE ${name} IS NOT NULL`;
    const rows = await store.sql<{ bytes: Buffer }>(text);
    for (const { bytes, ...of } of rows) {
      const at = { ...of, column } as unknown as SealPlace;
      found.push({ place: at, bytes, open: openerFor(column, at, bytes) });
    }
  }
  return found;
}

const placeOf = (memberId: string): Promise<IdentityPlace | null> =>
  new IntentActionRepository(store.database, store.keys.members).find({ program, memberId, seq: 1 });

async function correct(memberId: string, amount: string): Promise<void> {
  const place = await placeOf(memberId);
  const actions = new IntentActionRepository(store.database, store.keys.members);
  const revise = (current: PartnerCommand | null): RevisedCommand => ({
    command: { ...(current as TransactionCommand), amount },
    changed: ['amount'],
    privileged: [],
  });
  expect(await actions.correct({ place: place!, revise, audit })).toMatchObject({ kind: 'done' });
}

/** Nothing is due any more. */
async function rest(): Promise<void> {
  await store.sql('UPDATE lane SET due_at = NULL, owner = NULL');
}

/** An attempt in doubt that parks: evidence of one attempt, and of none, in one step. */
async function parkInDoubt(member: string): Promise<void> {
  await till.record(purchase(`${member}-p`, member));
  const lease = await begin(store, await claimOne(store));
  const unknown = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: null } as const;
  const parked = { type: 'IntentParked', at: now, reason: 'unknown-outcome', lane: 'continue' } as const;
  const settle = completion(lease, 'settle', { events: [unknown, parked] });
  const events = settle.events.map((item) => ({ ...item, evidence: JSON.stringify({ of: member }) }));
  const step = stepOf(lease, { completion: { ...settle, events } });
  expect(await record(store, step)).toMatchObject({ completed: true });
  await rest();
}

async function adopt(member: string): Promise<void> {
  const { lane_id: laneId } = await laneOf(store, member);
  const passes = [{ laneId, key: memberKeys.get(laneId)!, pass: { serialNumber: `s-${member}` } }];
  const request = { program, place: { brandId: '1', programId: '2' }, passes, job: 'j', page: 1, now };
  await store.database.transaction('adopt', (session) => adoptPasses(session, request, store.keys));
  await rest();
}

/** @returns their ids: records with a key, a value and headers */
async function setRecordsAside(texts: readonly string[]): Promise<number[]> {
  const from = till.offset;
  const verdict = { kind: 'quarantine', reason: 'unknown-program', detail: 'data.program: unknown' } as const;
  const originals = texts.map((text, index) => ({ ...originalOf(text, from + index), key: Buffer.from(text) }));
  await till.recordPrepared(originals.map((original) => ({ original, verdict })));
  const rows = await store.sql<{ id: number }>('SELECT quarantine_id AS id FROM quarantine ORDER BY 1');
  return rows.slice(-texts.length).map(({ id }) => id);
}

/** At least two rows in every column, and several of one member. */
async function fill(): Promise<void> {
  await openInstallation(store.database, null, { keyring: store.keyring, random: store.random, now });
  for (const member of ['a', 'b']) {
    await parkInDoubt(member);
    await learnKeys();
    await adopt(member);
  }
  for (const member of ['c', 'd']) {
    await till.record(purchase(`${member}-p`, member), purchase(`${member}-q`, member));
    await correct(member, '1.00');
    await correct(member, '2.00');
    await till.record(cancelling(`${member}-v`, member, purchaseKey(`${member}-later`)));
    await till.record(cancelling(`${member}-w`, member, purchaseKey(`${member}-last`)));
  }
  await rest();
  for (const quarantineId of await setRecordsAside(['p', 'q', 'r'])) {
    const route = routingBy({ x: purchase(`x${quarantineId}`, 'a') });
    const request = { quarantineId, correction: { value: '{"text":"x"}' }, audit, permit: () => [] };
    const done = await new QuarantineSettlements(store.database, store.keys).resubmit(request, route);
    expect(done).toMatchObject({ kind: 'done' });
  }
  await rest();
  await learnKeys();
}

/** As somebody has it who may change everything but has no key. */
async function write(text: string, ...values: readonly (number | Buffer)[]): Promise<void> {
  await store.sql('ALTER TABLE intent DISABLE TRIGGER USER');
  await store.sql(text, ...values);
  await store.sql('ALTER TABLE intent ENABLE TRIGGER USER');
}

describe('sealed bytes', () => {
  it('stand in columns that are known to be sealed, or to hold nothing that is', async () => {
    expect(await byteColumns()).toEqual([...plainColumns, ...Object.keys(rowsOf)].toSorted());
  });

  it('open in their own place, and in no other column or row, by the key that sealed them', async () => {
    await fill();
    const all = await cells();
    const counts = Map.groupBy(all, ({ place }) => place.column);
    const few = Object.keys(rowsOf).filter((column) => (counts.get(column as Column)?.length ?? 0) < 2);
    expect(few).toEqual(['installation.wrapped_mac_key', 'installation.wrapped_quarantine_key']);
    const opened: string[] = [];
    for (const from of all) {
      expect(() => from.open(contextOf(from.place))).not.toThrow();
      for (const to of all) {
        if (to !== from && opens(from, to)) opened.push(`${JSON.stringify(from.place)} in ${JSON.stringify(to.place)}`);
      }
    }
    expect(opened).toEqual([]);
  });

  it('put back where newer ones stand do not open, but for a key that was wrapped anew, which is the same key', async () => {
    const before = new Map((await cells()).map((cell) => [rowName(cell), cell]));
    // A person has given up a mark, and another record has left one.
    await store.sql('ALTER TABLE dedup DISABLE TRIGGER USER');
    await store.sql(`DELETE FROM dedup WHERE key IN (SELECT key FROM cancel_mark)`);
    await store.sql('ALTER TABLE dedup ENABLE TRIGGER USER');
    await store.sql('DELETE FROM cancel_mark');
    for (const member of ['c', 'd']) {
      await till.record(cancelling(`${member}-x`, member, purchaseKey(`${member}-later`)));
      await till.record(cancelling(`${member}-y`, member, purchaseKey(`${member}-last`)));
    }
    const [newer, older] = [store.random.bytes(32), store.masterKey];
    store.keyring.replace([newer, older]);
    const { random, keyring } = store;
    expect(await rotateKeys(store.database, { keyring, random, audit })).toMatchObject({ left: 0, unopened: 0 });
    const changed = (await cells()).filter((now) => before.get(rowName(now))?.bytes.equals(now.bytes) === false);
    const columnsOf = (some: readonly Cell[]): string[] =>
      [...new Set(some.map(({ place }) => place.column))].toSorted();
    const wrappedKeys = Object.keys(rowsOf).filter((column) => column.includes('.wrapped_'));
    expect(columnsOf(changed)).toEqual(['cancel_mark.sealed', ...wrappedKeys]);
    expect(columnsOf(changed.filter((now) => opens(before.get(rowName(now))!, now)))).toEqual(wrappedKeys);
    // Without the older master key they are closed.
    store.keyring.replace([newer]);
    expect(changed.filter((now) => opens(before.get(rowName(now))!, now))).toEqual([]);
  });

  it.each([
    ['of another member', 'e', 'f', 1],
    ['of the same member', 'g', 'g', 2],
  ])(
    'of an intent %s keep it from being sent: its lane is reported, the others go on',
    async (_what, to, from, seq) => {
      for (const member of new Set([to, from])) {
        await till.record(purchase(`${member}-p`, member), purchase(`${member}-q`, member));
      }
      const [one, other] = [await laneOf(store, to), await laneOf(store, from)];
      await write(
        `UPDATE intent SET payload = (SELECT payload FROM intent WHERE lane_id = $1 AND seq = $2) WHERE lane_id = $3 AND seq = 1`,
        ...[other.lane_id, seq, one.lane_id],
      );
      const { lanes, unreadable } = await tryClaim(store);
      expect(unreadable.map(({ laneId }) => laneId)).toEqual([one.lane_id]);
      expect(unreadable[0]?.error).toBeInstanceOf(SealBrokenError);
      expect(lanes.map(({ laneId }) => laneId)).toEqual(to === from ? [] : [other.lane_id]);
      await rest();
    },
  );

  it('of a correction that was withdrawn are no newer one: the intent is not sent, and says nothing', async () => {
    await till.record(purchase('h-p', 'h'));
    await correct('h', '1.00');
    await correct('h', '2.00');
    const place = (await placeOf('h'))!;
    await store.sql(
      `INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data, sealed)
       SELECT lane_id, seq, version + 9, attempt, epoch, type, at, data, sealed FROM intent_event
       WHERE lane_id = $1 AND type = 'IntentCorrected' ORDER BY version LIMIT 1`,
      place.laneId,
    );
    const { lanes, unreadable } = await tryClaim(store);
    expect([lanes, unreadable.map(({ laneId }) => laneId)]).toEqual([[], [place.laneId]]);
    const loaded = await loadCommands(store.database, [place], store.newMemberKeys());
    expect(loaded).toMatchObject([{ current: { kind: 'gone' } }]);
    await rest();
  });

  it('of an older answer are not the newest: a copy of it behind the others leaves the pass as it was shown last', async () => {
    const member = 'i';
    await till.record(enrolment('i-e', member));
    for (const serialNumber of ['old', 'new']) {
      await store.sql(
        `UPDATE lane SET due_at = to_timestamp($1 / 1000.0) WHERE lane_id = (SELECT lane_id FROM member WHERE member_id = 'i')`,
        now,
      );
      const lease = await begin(store, await claimOne(store));
      const { events, ...rest } = completion(lease, 'stay', {
        events: [{ type: 'AttemptApplied', at: now, attempt: lease.attempt }],
      });
      const evidence = JSON.stringify({ response: { body: JSON.stringify({ serialNumber }) } });
      await record(store, stepOf(lease, { completion: { ...rest, events: [{ ...events[0]!, evidence }] } }));
    }
    const { lane_id: laneId } = await laneOf(store, member);
    await store.sql(
      `INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data, sealed)
       SELECT lane_id, seq, version + 9, attempt, epoch, type, at, data, sealed FROM intent_event
       WHERE lane_id = $1 AND type = 'AttemptApplied' ORDER BY version LIMIT 1`,
      laneId,
    );
    await learnKeys();
    const names = await findPassNames(
      store.database,
      [{ laneId, key: memberKeys.get(laneId)! }],
      store.newMemberKeys(),
    );
    expect(names.get(laneId)).toMatchObject({ serialNumber: 'new' });
  });
});

/** What a row keeps while what stands in it may change. */
function rowName({ place }: Cell): string {
  const { column, laneId, seq, version, key, quarantineId } = place as Partial<Record<string, unknown>>;
  return [column, laneId, seq, version, key instanceof Buffer ? key.toString('hex') : '', quarantineId].join(' ');
}

/** Whether bytes open where another cell stands. */
function opens({ open }: Cell, { place }: Cell): boolean {
  try {
    open(contextOf(place));
    return true;
  } catch (error) {
    if (error instanceof SealBrokenError) return false;
    throw error;
  }
}
