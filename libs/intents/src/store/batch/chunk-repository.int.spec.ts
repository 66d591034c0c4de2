import type { Database, SqlResult, SqlSession } from '#platform';

import { openPayload, openSourceEvent } from '../keys/member-keys.js';
import { recordFingerprint } from '../sources/record-fingerprint.js';
import { claim } from '../../testing/lease.js';
import {
  batchOf,
  enrolment,
  historyOf,
  laneOf,
  now,
  originalOf,
  personal,
  prepared,
  purchase,
  source,
  Till,
} from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { FlakyDatabase, testStore } from '../../testing/test-store.js';
import { ChunkRepository, recordBatch } from './chunk-repository.js';
import { loadOffsets, startOffset } from './partition-offsets.js';
import type { BatchResult, PartitionRecords, PreparedRecord } from './recording.js';
import { BatchRaceError, OffsetBehindError, recordBatchMax } from './recording.js';

let store: TestStore;

beforeEach(async () => {
  store = await testStore(6);
});

afterEach(() => store.close());

const counted = ['intent', 'dedup', 'member', 'member_key', 'lane', 'quarantine', 'dead_letter_outbox'] as const;

async function rowCounts(): Promise<Record<string, number>> {
  const texts = counted.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`);
  const [row] = await store.sql<Record<string, number>>(`SELECT ${texts.join(', ')}`);
  return row!;
}

async function storedOffset(): Promise<number | undefined> {
  const [row] = await loadOffsets(store.database, { clusterId: source.clusterId, topics: [source.topic] });
  return row?.nextOffset;
}

describe('a batch', () => {
  it('becomes intents with dense sequence numbers per member, in source order', async () => {
    const till = new Till(store);
    const first = await till.record(purchase('a1', 'a'), purchase('b1', 'b'), purchase('a2', 'a'));
    expect(first).toEqual({ results: Array(3).fill({ kind: 'recorded' }), intents: 3, nextOffset: 3 });
    await till.record(purchase('b2', 'b'), purchase('a3', 'a'));
    const rows = await store.sql<{ member_id: string; purchases: string[]; seqs: number[] }>(
      `SELECT member_id, array_agg(purchase_id ORDER BY seq) AS purchases, array_agg(seq ORDER BY seq) AS seqs
       FROM intent JOIN member USING (lane_id) GROUP BY member_id ORDER BY member_id`,
    );
    expect(rows).toEqual([
      { member_id: 'a', purchases: ['a1', 'a2', 'a3'], seqs: [1, 2, 3] },
      { member_id: 'b', purchases: ['b1', 'b2'], seqs: [1, 2] },
    ]);
    expect(await laneOf(store, 'a')).toMatchObject({
      head_seq: 1,
      cur_seq: 1,
      tail_seq: 3,
      due_at: now,
      state: 'live',
    });
    await historyOf(store, 'a');
  });

  it('keeps what search and money need in the clear, the rest sealed for its place', async () => {
    await new Till(store).record(purchase('a1', 'a'));
    const [row] = await store.sql<Record<string, unknown> & { payload: Buffer; lane_id: number }>(
      'SELECT * FROM intent',
    );
    expect(row).toMatchObject({
      ...{ seq: 1, version: 1, operation: 'transaction', store_id: 'berlin-07', purchase_id: 'a1' },
      ...{ amount: '59.99', currency: 'EUR', event_type: 'loyalty.purchase.completed.v1', waits_for_seq: null },
      ...{ occurred_at: now - 60_000, broker_at: now - 30_000, recorded_at: now },
      ...{ topic: 'loyalty.purchases', kafka_offset: 0, programs_hash: Buffer.alloc(16, 1) },
    });
    const place = { laneId: row!.lane_id, seq: 1 };
    await store.learnKeys();
    expect(openPayload(store.keys.members, place, row!.payload)).toMatchObject({
      operation: 'transaction',
      uniqueId: 'a',
    });
    expect(openSourceEvent(store.keys.members, place, row!.payload)).toEqual({
      headers: '{"x":"y"}',
      value: JSON.stringify({ text: 'a1', personal }),
    });
    expect(() => openPayload(store.keys.members, { ...place, seq: 2 }, row!.payload)).toThrow('do not open');
  });

  it('sets records aside with their bytes sealed, and queues their dead letters', async () => {
    const till = new Till(store);
    const detail = `a\u0000b \uD83D ${'x'.repeat(5_000)}`;
    const bad = { original: originalOf('bad', 0), verdict: { kind: 'quarantine', reason: 'invalid', detail } as const };
    const empty = { ...bad, original: { ...bad.original, offset: 1, key: null, value: null } };
    const { results, intents } = await till.recordPrepared([bad, empty]);
    expect({ results, intents }).toEqual({
      results: Array(2).fill({ kind: 'quarantined', reason: 'invalid' }),
      intents: 0,
    });
    const rows = await store.sql<{ detail: string; value_bytes: number; sealed_value: Buffer | null }>(
      'SELECT detail, value_bytes, sealed_value FROM quarantine ORDER BY kafka_offset',
    );
    expect(rows[0]).toMatchObject({
      detail: `a\uFFFDb \uFFFD ${'x'.repeat(5_000)}`,
      value_bytes: bad.original.value!.length,
    });
    expect(rows[1]).toMatchObject({ value_bytes: 0, sealed_value: null });
    expect(await rowCounts()).toMatchObject({ quarantine: 2, dead_letter_outbox: 2, dedup: 0, intent: 0 });
  });

  it('holds hostile texts and times: NUL in personal values, timestamps beyond all years', async () => {
    const till = new Till(store);
    const name = 'Ada \u0000 \u{1F600}';
    const record = prepared(enrolment('e', 'a', name), 0);
    const original = { ...record.original, brokerAt: Number.MAX_SAFE_INTEGER };
    await till.recordPrepared([{ ...record, original }]);
    const [lane] = await claim(store);
    expect(lane!.intents.get(1)?.command).toMatchObject({ content: { person: { firstName: name } } });
  });

  it('counts what leads to nothing, and remembers its event but not a tombstone', async () => {
    const till = new Till(store);
    const identity = { eventKeyText: 'k', eventContentText: 'c', member: null };
    const ignored = (offset: number, withIdentity: boolean) => ({
      original: originalOf('x', offset),
      verdict: { kind: 'ignored', reason: 'no-member', identity: withIdentity ? identity : null } as const,
    });
    const { results } = await till.recordPrepared([ignored(0, true), ignored(1, true), ignored(2, false)]);
    expect(results.map((result) => ('reason' in result ? result.reason : ''))).toEqual([
      ...['no-member', 'duplicate-event', 'no-member'],
    ]);
    expect(await rowCounts()).toMatchObject({ dedup: 1, intent: 0, member: 0 });
  });

  it('of nothing but consumed offsets moves the offset alone', async () => {
    await startOffset(store.database, source, 0);
    expect(await recordBatch(store.database, batchOf([], { nextOffset: 9 }), store.keys)).toEqual({
      ...{ results: [], intents: 0, nextOffset: 9 },
    });
    expect(await storedOffset()).toBe(9);
  });

  it('may not be larger than its bound, nor come from a partition never started', async () => {
    const many = Array.from({ length: recordBatchMax + 1 }, (_, index) => prepared(purchase(`p${index}`, 'a'), index));
    await expect(recordBatch(store.database, batchOf(many), store.keys)).rejects.toThrow(RangeError);
    await expect(recordBatch(store.database, batchOf([]), store.keys)).rejects.toThrow(BatchRaceError);
  });
});

describe('a batch like most others', () => {
  /** What is called before an answer has come shares its round trip; BEGIN goes with the first, COMMIT with the last. */
  class RoundTrips implements Database {
    count = 0;

    transaction<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
      let isOpen = false;
      let isCommitting = false;
      const begin = (): void => {
        if (!isOpen) this.count += 1;
        isOpen = true;
      };
      return store.database.transaction(name, async (session) => {
        const query = async <Row extends object>(
          ...asked: Parameters<SqlSession['query']>
        ): Promise<SqlResult<Row>> => {
          begin();
          const answer = await session.query<Row>(...asked);
          isOpen = false;
          return answer;
        };
        const commitUnless = (hasFailed: () => boolean): void => {
          begin();
          isCommitting = true;
          session.commitUnless?.(hasFailed);
        };
        const value = await work({ query, commitUnless });
        if (!isCommitting) this.count += 1;
        return value;
      });
    }

    execute(): never {
      throw new Error('not needed here');
    }
  }

  async function roundTripsOf(...records: readonly PreparedRecord[]): Promise<number> {
    const database = new RoundTrips();
    const recorded = await recordBatch(database, batchOf(records), store.keys);
    expect(recorded.nextOffset).toBe(records.at(-1)!.original.offset + 1);
    return database.count;
  }

  it('takes three round trips, six where members are new', async () => {
    await startOffset(store.database, source, 0);
    expect(await roundTripsOf(prepared(enrolment('e', 'a'), 0), prepared(enrolment('f', 'b'), 1))).toBe(6);
    expect(await roundTripsOf(prepared(purchase('p', 'a'), 2), prepared(purchase('q', 'b'), 3))).toBe(3);
    expect(await rowCounts()).toMatchObject({ intent: 4, dedup: 8, lane: 2 });
    expect(await storedOffset()).toBe(4);
  });

  it('keeps nothing when what it would write cannot even be sealed', async () => {
    await startOffset(store.database, source, 0);
    await recordBatch(store.database, batchOf([prepared(enrolment('e', 'a'), 0)]), store.keys);
    const broken = new Error('cannot be sealed');
    const sealFor = jest.spyOn(store.keys.members, 'sealFor').mockImplementation(() => {
      throw broken;
    });
    const batch = batchOf([prepared(purchase('p', 'a'), 1)]);
    await expect(recordBatch(store.database, batch, store.keys)).rejects.toThrow(broken);
    sealFor.mockRestore();
    expect(await storedOffset()).toBe(1);
    expect(await recordBatch(store.database, batch, store.keys)).toMatchObject({ intents: 1, nextOffset: 2 });
  });
});

describe('the stored offset', () => {
  it('drops what was consumed before: a repeated batch appends nothing', async () => {
    await startOffset(store.database, source, 0);
    const batch = batchOf([prepared(purchase('a1', 'a'), 0), prepared(purchase('a2', 'a'), 1)]);
    await recordBatch(store.database, batch, store.keys);
    const before = await rowCounts();
    expect(await recordBatch(store.database, batch, store.keys)).toEqual({
      results: Array(2).fill({ kind: 'ignored', reason: 'already-consumed' }),
      ...{ intents: 0, nextOffset: 2 },
    });
    expect(await rowCounts()).toEqual(before);
  });

  it('takes only the part of a batch that is new', async () => {
    await startOffset(store.database, source, 1);
    const batch = batchOf([prepared(purchase('a1', 'a'), 0), prepared(purchase('a2', 'a'), 1)]);
    const { results, intents } = await recordBatch(store.database, batch, store.keys);
    expect(results.map(({ kind }) => kind)).toEqual(['ignored', 'recorded']);
    expect(intents).toBe(1);
  });

  it('fences two consumers that record the same batch at once', async () => {
    await startOffset(store.database, source, 0);
    const batch = batchOf(
      Array.from({ length: 50 }, (_, index) => prepared(purchase(`p${index}`, `m${index % 7}`), index)),
    );
    const results = await Promise.all([
      recordBatch(store.database, batch, store.keys),
      recordBatch(store.database, batch, store.newKeys()),
    ]);
    expect(results.map(({ intents }) => intents).toSorted((a, b) => a - b)).toEqual([0, 50]);
    expect(results.map(({ nextOffset }) => nextOffset)).toEqual([50, 50]);
    expect(await rowCounts()).toMatchObject({ intent: 50, member: 7, lane: 7, dedup: 100 });
  });

  it('never goes back, and a zombie behind it appends nothing', async () => {
    await startOffset(store.database, source, 0);
    await recordBatch(store.database, batchOf([prepared(purchase('a9', 'a'), 9)]), store.keys);
    const late = batchOf([prepared(purchase('b3', 'b'), 3)]);
    expect(await recordBatch(store.database, late, store.keys)).toMatchObject({ intents: 0, nextOffset: 10 });
    await startOffset(store.database, source, 0);
    expect(await storedOffset()).toBe(10);
  });

  it('comes with the last record consumed, known by a keyed fingerprint', async () => {
    const till = new Till(store);
    await till.record(purchase('a1', 'a'), purchase('a2', 'a'));
    await recordBatch(store.database, batchOf([], { source: till.source, fromOffset: 2, nextOffset: 5 }), store.keys);
    const [stored] = await loadOffsets(store.database, { clusterId: 'c1', topics: [till.source.topic] });
    const fingerprint = recordFingerprint(originalOf('a2', 1), store.keys.mac);
    expect(stored).toMatchObject({ nextOffset: 5, last: { offset: 1, fingerprint } });
    expect(recordFingerprint(originalOf('a2', 1), store.random.bytes(32))).not.toEqual(fingerprint);
    for (const change of [{ offset: 2 }, { brokerAt: 1 }, { key: null }, { value: null }]) {
      expect(recordFingerprint({ ...originalOf('a2', 1), ...change }, store.keys.mac)).not.toEqual(fingerprint);
    }
  });

  it('that lies before a batch refuses it: nothing is passed over', async () => {
    await startOffset(store.database, source, 3);
    const batch = batchOf([prepared(purchase('a5', 'a'), 5)], { fromOffset: 5 });
    await expect(recordBatch(store.database, batch, store.keys)).rejects.toThrow(OffsetBehindError);
    expect(await storedOffset()).toBe(3);
    const close = batchOf([prepared(purchase('a5', 'a'), 5)], { fromOffset: 3 });
    expect(await recordBatch(store.database, close, store.keys)).toMatchObject({ intents: 1, nextOffset: 6 });
  });

  it('is kept per incarnation of the topic; the newest counts', async () => {
    await startOffset(store.database, source, 7);
    await startOffset(store.database, { ...source, incarnation: 2 }, 0);
    const offsets = await loadOffsets(store.database, { clusterId: 'c1', topics: [source.topic] });
    expect(offsets).toEqual([{ topic: source.topic, partition: 0, incarnation: 2, nextOffset: 0, last: null }]);
    expect(await loadOffsets(store.database, { clusterId: 'other', topics: [source.topic] })).toEqual([]);
  });
});

describe('a transaction that does not come through', () => {
  const batch = batchOf([prepared(enrolment('e', 'a'), 0), prepared(purchase('p', 'b'), 1)]);

  it.each(['insert_members', 'extend_lanes', 'insert_intents', 'insert_identities', 'move_offsets'])(
    'leaves nothing when %s fails, and can be repeated',
    async (statement) => {
      await startOffset(store.database, source, 0);
      const flaky = new FlakyDatabase(store.database, { statement, kind: 'failed' });
      await expect(recordBatch(flaky, batch, store.keys)).rejects.toMatchObject({ kind: 'failed' });
      expect(Object.values(await rowCounts())).toEqual(counted.map(() => 0));
      expect(await storedOffset()).toBe(0);
      expect(await recordBatch(flaky, batch, store.keys)).toMatchObject({ intents: 2 });
      expect(await claim(store)).toHaveLength(2);
    },
  );

  it.each(['insert_identities', 'move_offsets'])(
    'is repeated after a deadlock at %s, with members of its own',
    async (statement) => {
      await startOffset(store.database, source, 0);
      const flaky = new FlakyDatabase(store.database, { statement, kind: 'contention' });
      expect(await recordBatch(flaky, batch, store.keys)).toMatchObject({ intents: 2, nextOffset: 2 });
      expect(flaky.hasFailed).toBe(true);
      expect(await rowCounts()).toMatchObject({ intent: 2, lane: 2, member: 2, member_key: 2 });
      expect((await claim(store)).map(({ memberId }) => memberId).toSorted()).toEqual(['a', 'b']);
    },
  );
});

describe('records of several partitions in one transaction', () => {
  const partOf = (partition: number, records: readonly PreparedRecord[], fromOffset = 0): PartitionRecords => {
    const { nextOffset } = batchOf(records);
    return { source: { ...source, partition }, records, fromOffset, nextOffset };
  };
  const refused = (offset: number): PreparedRecord => ({
    original: originalOf('bad', offset),
    verdict: { kind: 'quarantine', reason: 'invalid', detail: 'x' },
  });
  const record = (...parts: readonly PartitionRecords[]): Promise<readonly BatchResult[]> =>
    new ChunkRepository(store.database, store.keys).record({ parts, now, programsHash: Buffer.alloc(16, 1) });
  const start = async (...offsets: readonly number[]): Promise<void> => {
    for (const [partition, offset] of offsets.entries()) {
      await startOffset(store.database, { ...source, partition }, offset);
    }
  };
  const standing = async (): Promise<number[]> => {
    const stored = await loadOffsets(store.database, { clusterId: source.clusterId, topics: [source.topic] });
    return stored.map(({ nextOffset }) => nextOffset);
  };

  it('keep their places, are told apart in the results, and move each partition', async () => {
    await start(0, 4, 0);
    const results = await record(
      partOf(0, [prepared(purchase('a1', 'a'), 0), refused(1)]),
      partOf(1, [prepared(purchase('b1', 'b'), 3), prepared(purchase('a2', 'a'), 4)], 3),
      partOf(2, [prepared(purchase('a1', 'a'), 6)]),
    );
    expect(results).toEqual([
      { results: [{ kind: 'recorded' }, { kind: 'quarantined', reason: 'invalid' }], intents: 1, nextOffset: 2 },
      { results: [{ kind: 'ignored', reason: 'already-consumed' }, { kind: 'recorded' }], intents: 1, nextOffset: 5 },
      { results: [{ kind: 'ignored', reason: 'duplicate-event' }], intents: 0, nextOffset: 7 },
    ]);
    expect(await standing()).toEqual([2, 5, 7]);
    const places = 'SELECT purchase_id AS id, partition, kafka_offset AS at FROM intent ORDER BY partition';
    expect(await store.sql(places)).toEqual([
      { id: 'a1', partition: 0, at: 0 },
      { id: 'a2', partition: 1, at: 4 },
    ]);
    expect(await store.sql('SELECT partition, kafka_offset AS at FROM quarantine')).toEqual([{ partition: 0, at: 1 }]);
    const tally = 'SELECT partition, recorded FROM intent_tally ORDER BY partition';
    expect(await store.sql(tally)).toEqual([
      { partition: 0, recorded: 1 },
      { partition: 1, recorded: 1 },
    ]);
  });

  it('leave nothing where one partition does not stand where its records begin', async () => {
    await start(0, 3);
    const parts = [partOf(0, [prepared(purchase('a1', 'a'), 0)]), partOf(1, [prepared(purchase('b1', 'b'), 5)], 5)];
    await expect(record(...parts)).rejects.toThrow(OffsetBehindError);
    expect(Object.values(await rowCounts())).toEqual(counted.map(() => 0));
    expect(await standing()).toEqual([0, 3]);
  });

  it('that others consumed meanwhile are all passed over', async () => {
    await start(1, 1);
    const results = await record(
      partOf(0, [prepared(purchase('a1', 'a'), 0)]),
      partOf(1, [prepared(purchase('b1', 'b'), 0)]),
    );
    const consumed = { results: [{ kind: 'ignored', reason: 'already-consumed' }], intents: 0, nextOffset: 1 };
    expect(results).toEqual([consumed, consumed]);
    expect(await standing()).toEqual([1, 1]);
  });

  it('wait for each other in one order, whatever order they are named in', async () => {
    await start(0, 0);
    const parts = [0, 1].map((partition) =>
      partOf(
        partition,
        Array.from({ length: 40 }, (_, at) => prepared(purchase(`${partition}-${at}`, `m${at}`), at)),
      ),
    );
    const all = await Promise.all([record(...parts), record(...parts.toReversed())]);
    expect(all.flat().reduce((sum, { intents }) => sum + intents, 0)).toBe(80);
    expect(await standing()).toEqual([40, 40]);
  });
});

describe('batches of several partitions at the same time', () => {
  it('create each member once and give every intent a place of its own', async () => {
    const members = Array.from({ length: 10 }, (_, index) => `m${index}`);
    const tills = Array.from({ length: 6 }, () => new Till(store));
    await Promise.all(
      tills.map((till, by) => till.record(...members.map((member) => purchase(`${by}-${member}`, member)))),
    );
    expect(await rowCounts()).toMatchObject({ intent: 60, member: 10, lane: 10, member_key: 10, dedup: 120 });
    for (const member of members) expect(await historyOf(store, member)).toHaveLength(6);
    expect(await claim(store)).toHaveLength(10);
  });

  it('record an identity that both bring once', async () => {
    const tills = Array.from({ length: 6 }, () => new Till(store));
    const events = Array.from({ length: 20 }, (_, index) => purchase(`same-${index}`, `m${index}`));
    const results = await Promise.all(
      tills.map((till, by) => till.record(...(by % 2 === 0 ? events : events.toReversed()))),
    );
    expect(results.reduce((sum, { intents }) => sum + intents, 0)).toBe(20);
    const reasons = results.flatMap((result) => result.results).filter(({ kind }) => kind === 'ignored');
    expect(reasons).toHaveLength(100);
    expect(await rowCounts()).toMatchObject({ intent: 20, dedup: 40 });
  });
});
