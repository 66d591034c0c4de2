import type { Database } from '#platform';

import type { TestEvent } from '../../testing/records.js';
import { now, originalOf, purchase, routingBy, Till, transactionIntent } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { FlakyDatabase, testStore } from '../../testing/test-store.js';
import { QuarantineRepository } from './quarantine-repository.js';
import type { ResubmitBatchResult, UnpackBatch, UnpackedRecord } from './quarantined-batches.js';
import { QuarantinedBatches } from './quarantined-batches.js';
import { QuarantineSettlements } from './quarantine-settlements.js';

let store: TestStore;
let quarantine: QuarantineRepository;
let till: Till;

beforeEach(async () => {
  store = await testStore(8);
  quarantine = new QuarantineRepository(store.database, store.keys);
  till = new Till(store);
});

afterEach(() => store.close());

const audit = { at: now + 5, actor: 'ada', address: '127.0.0.1', reason: 'the limit is higher' };
const tooLarge = { reason: 'oversized', detail: 'more than 9 bytes' } as const;
const none = { recorded: 0, duplicate: 0, ignored: 0, setAside: 0 };

/** Sets a batch of so many records aside, as ingest would. @returns its id */
async function setAside(count: number): Promise<number> {
  const first = till.offset;
  const last = originalOf('a batch', first + count - 1);
  await till.recordPrepared([
    { original: { ...last, batch: { firstOffset: first } }, verdict: { kind: 'quarantine', ...tooLarge } },
  ]);
  const [row] = await store.sql<{ id: number }>('SELECT max(quarantine_id) AS id FROM quarantine');
  return row!.id;
}

/** Records with these texts, so many at a time. */
function unpacker(texts: readonly string[], first = 0, piece = 2): UnpackBatch {
  return async function* unpack({ from, to }) {
    const all = texts.map((text, index): UnpackedRecord => ({
      original: originalOf(text, first + index),
      refused: null,
    }));
    const wanted = all.filter(({ original }) => original.offset >= from && original.offset <= to);
    for (let start = 0; start < wanted.length; start += piece) yield wanted.slice(start, start + piece);
  };
}

interface Asked {
  readonly known?: Readonly<Record<string, TestEvent>>;
  readonly database?: Database;
  readonly unpack?: UnpackBatch;
  /** Transactions that there is time for. */
  readonly pieces?: number;
  readonly permit?: () => string[];
}

const events = (...names: readonly string[]): Record<string, TestEvent> =>
  Object.fromEntries(names.map((name) => [name, purchase(name, `m-${name[0]}`)]));
const names = ['a1', 'b1', 'a2', 'c1', 'a3'];

async function resubmit(quarantineId: number, asked: Asked = {}): Promise<ResubmitBatchResult> {
  const { known = events(...names), database = store.database, unpack = unpacker(names), permit = () => [] } = asked;
  let left = asked.pieces ?? Infinity;
  const tools = { route: routingBy(known), unpack, hasDeadLetters: true };
  const isTimeUp = (): boolean => (left -= 1) < 0;
  return new QuarantinedBatches(database, store.keys).resubmit(
    { quarantineId, correction: null, audit, permit },
    { ...tools, isTimeUp },
  );
}

const taken = (): Promise<{ id: string; offset: number }[]> =>
  store.sql('SELECT purchase_id AS id, kafka_offset AS "offset" FROM intent ORDER BY kafka_offset');
const rows = (): Promise<object[]> =>
  store.sql(
    `SELECT kafka_offset AS "offset", last_offset AS last, state, reason FROM quarantine ORDER BY quarantine_id`,
  );

describe('a record batch that is resubmitted', () => {
  it('becomes what its records would have become, each caused by its own place, with one mark and one trace', async () => {
    const id = await setAside(names.length);
    expect(await resubmit(id)).toEqual({ kind: 'done', result: 'recorded', counts: { ...none, recorded: 5 } });
    expect(await taken()).toEqual(names.map((name, offset) => ({ id: name, offset })));
    const { state, settlement } = (await quarantine.find(id))!;
    expect(state).toBe('resubmitted');
    expect(settlement).toMatchObject({ actor: 'ada', reason: audit.reason, result: 'recorded', intent: null });
    const { topic, partition } = till.source;
    expect(await store.sql('SELECT action, lane_id, detail FROM operator_action')).toEqual([
      {
        ...{ action: 'quarantine.resubmit', lane_id: null },
        detail: {
          ...{ quarantine: id, topic, partition, offset: 0, result: 'recorded', reason: null, corrected: false },
          records: { ...none, recorded: 5 },
        },
      },
    ]);
  });

  it('sets aside by itself what cannot be taken in, and what cannot be taken out', async () => {
    const id = await setAside(5);
    const refused: UnpackedRecord = {
      original: { ...originalOf('the rest', 4), batch: { firstOffset: 3 } },
      refused: { reason: 'unreadable', detail: 'damaged from 3 on' },
    };
    const unpack: UnpackBatch = async function* unpack() {
      yield [
        ...['a1', 'garbage', 'a2'].map((text, at) => ({ original: originalOf(text, at), refused: null })),
        refused,
      ];
    };
    const letters = (await store.sql('SELECT FROM dead_letter_outbox')).length;
    expect(await resubmit(id, { unpack })).toEqual({
      kind: 'done',
      result: 'recorded',
      counts: { ...none, recorded: 2, setAside: 2 },
    });
    expect(await rows()).toEqual([
      { offset: 0, last: 4, state: 'resubmitted', reason: 'oversized' },
      { offset: 1, last: null, state: 'open', reason: 'unknown-program' },
      { offset: 3, last: 4, state: 'open', reason: 'unreadable' },
    ]);
    expect(await store.sql('SELECT FROM dead_letter_outbox')).toHaveLength(letters + 2);
  });

  it('takes nothing twice that its producer has sent again', async () => {
    await till.record(purchase('a1', 'm-a'), purchase('c1', 'm-c'));
    const id = await setAside(5);
    const result = await resubmit(id, { unpack: unpacker(names, 2) });
    expect(result).toEqual({ kind: 'done', result: 'recorded', counts: { ...none, recorded: 3, duplicate: 2 } });
    expect((await taken()).map((one) => one.id).toSorted()).toEqual(names.toSorted());
  });

  it('says what came of it where nothing of it was new', async () => {
    await till.record(...names.map((name) => purchase(name, `m-${name[0]}`)));
    const id = await setAside(5);
    await resubmit(id, { unpack: unpacker(names, 5) });
    expect((await quarantine.find(id))?.settlement).toMatchObject({ result: 'duplicate' });
  });

  it('sets aside the very record that the database refuses', async () => {
    const id = await setAside(5);
    const poison = transactionIntent('m-c', 'c1', {
      facts: { purchaseId: 'c1', amount: '0.01', currency: 'no\u0000text' },
    });
    const event = purchase('c1', 'm-c');
    const known = { ...events(...names), c1: { ...event, verdict: { ...event.verdict, intents: [poison] } } };
    const unpack = unpacker(names, 0, 5);
    expect(await resubmit(id, { known, unpack })).toEqual({
      ...{ kind: 'done', result: 'recorded', counts: { ...none, recorded: 4, setAside: 1 } },
    });
    expect((await taken()).map((one) => one.id)).toEqual(['a1', 'b1', 'a2', 'a3']);
    expect((await rows())[1]).toEqual({ offset: 3, last: null, state: 'open', reason: 'invalid' });
  });

  it('goes on where it ended for lack of time, and takes nothing twice', async () => {
    const id = await setAside(5);
    const counts = { ...none, recorded: 2 };
    expect(await resubmit(id, { pieces: 1 })).toEqual({ kind: 'part', counts, from: 2 });
    expect((await quarantine.find(id))?.state).toBe('open');
    expect(await resubmit(id)).toEqual({ kind: 'done', result: 'recorded', counts: { ...none, recorded: 3 } });
    expect(await taken()).toHaveLength(5);
  });

  it('goes on where the database went away, and sets nothing aside twice', async () => {
    const id = await setAside(5);
    const known = events('a1', 'a2', 'a3');
    const fault = { statement: 'settle_quarantined', kind: 'failed' } as const;
    await expect(resubmit(id, { known, database: new FlakyDatabase(store.database, fault) })).rejects.toThrow();
    expect(await resubmit(id, { known })).toEqual({
      kind: 'done',
      result: 'recorded',
      counts: { ...none, recorded: 1 },
    });
    expect((await rows()).slice(1)).toEqual(
      [1, 3].map((offset) => ({ offset, last: null, state: 'open', reason: 'unknown-program' })),
    );
  });

  it('is taken in once by two who ask at the same time', async () => {
    const id = await setAside(5);
    const results = await Promise.all([resubmit(id), resubmit(id)]);
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['done', 'settled']);
    expect(await taken()).toHaveLength(5);
    expect(await store.sql('SELECT FROM quarantine_settlement')).toHaveLength(1);
  });
});

describe('a record batch stays as it is', () => {
  it('where nothing can be taken out of it', async () => {
    const id = await setAside(3);
    const unpack: UnpackBatch = async function* unpack() {
      yield [{ original: originalOf('', 2), refused: tooLarge }];
    };
    expect(await resubmit(id, { unpack })).toEqual({ kind: 'refused', ...tooLarge });
    expect(await rows()).toEqual([{ offset: 0, last: 2, state: 'open', reason: 'oversized' }]);
    expect(await store.sql('SELECT FROM operator_action')).toEqual([]);
  });

  it('where one of its records is not for whoever asks, though it were the last', async () => {
    const id = await setAside(5);
    let asked = 0;
    const permit = (): string[] => {
      asked += 1;
      if (asked === 5) throw new RangeError('not you');
      return [];
    };
    await expect(resubmit(id, { permit })).rejects.toThrow('not you');
    expect(await taken()).toEqual([]);
    expect(await resubmit(id, { permit: () => ['data.erase'] })).toMatchObject({ kind: 'done' });
    const [action] = await store.sql<{ detail: object }>('SELECT detail FROM operator_action');
    expect(action?.detail).toMatchObject({ privileged: ['data.erase'] });
  });

  it('where somebody has dealt with it, or there is none', async () => {
    const id = await setAside(5);
    await new QuarantineSettlements(store.database, store.keys).discard({ quarantineId: id, audit });
    expect(await resubmit(id)).toEqual({ kind: 'settled' });
    expect(await resubmit(id + 1)).toEqual({ kind: 'absent' });
  });

  it('where its bytes are gone', async () => {
    const id = await setAside(5);
    await store.sql('UPDATE quarantine SET sealed_value = NULL');
    expect(await resubmit(id)).toEqual({ kind: 'lost' });
  });
});
