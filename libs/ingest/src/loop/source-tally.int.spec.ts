import type { RecordResult } from '#intents';
import type { Logger } from '#platform';
import { SystemClock, SystemRandom } from '#platform';
import type { TestDatabase } from '#test-support';
import { testDatabase, withClient } from '#test-support';

import type { FetchedRecord } from '../source/source.js';
import { eventRecord, type EventSketch, testPrograms } from '../testing/events.js';
import { openDatabase } from '../testing/ingest-fixture.js';
import { prepareRecord, type RecordWithOrigin } from './prepare-record.js';
import { sourcesToldMax, SourceTally, sourceWriter, writeSources } from './source-tally.js';

const now = Date.UTC(2026, 10, 21, 12, 30);
const happenedAt = Date.parse('2026-11-21T10:15:04+01:00');
const hourMs = 3_600_000;
const context = {
  source: { topic: 'loyalty.purchases', partition: 3 },
  programs: testPrograms().file,
  now,
  cell: { index: 0, count: 1 },
};

const recorded: RecordResult = { kind: 'recorded' };
const till = '/pos/berlin-07/till-3';
const purchase: EventSketch = { id: 'e-1', name: 'loyalty.purchase.completed.v1' };

function prepared(sketch: EventSketch, change: Partial<FetchedRecord> = {}): RecordWithOrigin {
  return prepareRecord({ ...eventRecord(sketch), brokerAt: happenedAt, ...change }, context);
}

let test: TestDatabase;
let opened: Awaited<ReturnType<typeof openDatabase>>;

beforeEach(async () => {
  test = await testDatabase();
  opened = await openDatabase(test.url);
});

afterEach(async () => {
  await opened.source.destroy();
  await test.dispose();
});

/** A row as one text: whose it is, and its counts. */
async function rows(): Promise<string[]> {
  return withClient(test.ownerUrl, async (client) => {
    const { rows: found } = await client.query<{ row: string }>(
      `SELECT concat_ws(' ', is_rest, source, store_id, program_id, '|', events, invalid, late, duplicates, conflicting,
         out_of_order) AS row FROM source_tally ORDER BY 1`,
    );
    return found.map(({ row }) => row);
  });
}

async function write(...of: readonly (readonly [RecordWithOrigin, RecordResult])[]): Promise<void> {
  const tally = new SourceTally();
  tally.add(
    of.map(([record]) => record),
    of.map(([, result]) => result),
    now,
  );
  await writeSources(opened.database, tally);
}

describe('what each producer has sent', () => {
  it('is counted by source, store and program, by what became of it', async () => {
    await write(
      [prepared(purchase), recorded],
      [prepared(purchase, { brokerAt: happenedAt + hourMs }), recorded],
      [prepared(purchase, { brokerAt: happenedAt + hourMs + 1 }), recorded],
      [prepared(purchase), { kind: 'ignored', reason: 'duplicate-event' }],
      [prepared(purchase), { kind: 'ignored', reason: 'duplicate-business-key' }],
      [prepared(purchase), { kind: 'quarantined', reason: 'conflict' }],
      [prepared(purchase), { kind: 'ignored', reason: 'stale' }],
      [prepared(purchase), { kind: 'ignored', reason: 'not-mapped' }],
      [prepared(purchase), { kind: 'ignored', reason: 'already-consumed' }],
      [prepared({ ...purchase, data: { storeId: null } }), recorded],
    );
    expect(await rows()).toEqual([
      `f ${till}  coffee-club | 1 0 0 0 0 0`,
      `f ${till} berlin-07 coffee-club | 5 0 1 2 1 1`,
    ]);
  });

  it('holds what is invalid, with its source where that can be read', async () => {
    const bad = prepared({ ...purchase, data: { total: 'much' } });
    const unreadable = prepared(purchase, { value: Buffer.from('{') });
    expect(bad.verdict).toMatchObject({ kind: 'quarantine', reason: 'invalid' });
    expect(unreadable.verdict).toMatchObject({ kind: 'quarantine', reason: 'unreadable' });
    await write(
      [bad, { kind: 'quarantined', reason: 'invalid' }],
      [unreadable, { kind: 'quarantined', reason: 'unreadable' }],
    );
    expect(await rows()).toEqual(['f    | 0 1 0 0 0 0', `f ${till} berlin-07 coffee-club | 0 1 0 0 0 0`]);
  });

  it('keeps nothing in the clear that may be personal', async () => {
    const set: RecordResult = { kind: 'quarantined', reason: 'invalid' };
    const personal = { ...purchase, data: { storeId: 'Ada Lovelace', program: 'ada@example.org', total: 'x' } };
    await write(
      [prepared({ ...personal, frame: { source: 'ada@example.org' } }), set],
      [prepared({ id: 'e-2', name: 'loyalty.member.enrolled.v1', data: { storeId: 'Lovelace' } }), recorded],
      [prepared({ ...purchase, data: { program: 'Lovelace' } }), { kind: 'quarantined', reason: 'unknown-program' }],
    );
    expect(await rows()).toEqual([
      'f    | 0 1 0 0 0 0',
      `f ${till}  coffee-club | 1 0 0 0 0 0`,
      `f ${till} berlin-07  | 0 1 0 0 0 0`,
    ]);
  });

  it('keeps texts that no table would, cut to what an index takes', async () => {
    const source = `/\u0000${'\ud83d\ude00'.repeat(400)}`;
    const odd = prepared({ ...purchase, data: { total: 'x', storeId: 's'.repeat(5_000) }, frame: { source } });
    await write([odd, { kind: 'quarantined', reason: 'invalid' }]);
    expect(await rows()).toHaveLength(1);
  });

  it('adds up what several processes write at once', async () => {
    const stores = Array.from({ length: 50 }, (_, index) => `s-${index}`);
    const one = async (order: readonly string[]): Promise<void> =>
      write(...order.map((storeId) => [prepared({ ...purchase, data: { storeId } }), recorded] as const));
    await Promise.all([one(stores), one(stores.toReversed()), one(stores), one(stores.toReversed())]);
    expect(await rows()).toEqual(stores.map((store) => `f ${till} ${store} coffee-club | 4 0 0 0 0 0`).toSorted());
  });

  it('tells so many apart in an hour and no more: the others are one row', async () => {
    const some = (prefix: string, length: number): (readonly [RecordWithOrigin, RecordResult])[] =>
      Array.from({ length }, (_, index) => [
        prepared({ ...purchase, data: { storeId: `${prefix}-${index}` } }),
        recorded,
      ]);
    await write(...some('a', sourcesToldMax - 1));
    await write(...some('b', 3), ...some('a', 2));
    await write(...some('c', sourcesToldMax + 5));
    const told = await rows();
    expect(told).toHaveLength(sourcesToldMax + 1);
    expect(told.at(-1)).toBe(`t    | ${2 + sourcesToldMax + 5} 0 0 0 0 0`);
    expect(told).toContain(`f ${till} a-0 coffee-club | 2 0 0 0 0 0`);
  });

  it('is in one row of no size where a flood of sources comes between two writings', () => {
    const tally = new SourceTally();
    const flood = Array.from({ length: sourcesToldMax * 3 }, (_, index) =>
      prepared({ ...purchase, frame: { source: `/flood/${index}` } }),
    );
    tally.add(
      flood,
      flood.map(() => recorded),
      now,
    );
    const taken = tally.take();
    expect(taken).toHaveLength(sourcesToldMax + 1);
    expect(taken.at(-1)).toMatchObject({ isRest: true, source: '', events: sourcesToldMax * 2 });
    expect(tally.take()).toEqual([]);
  });

  it('is not counted twice where a write fails, and what is left is written as the process stops', async () => {
    const tally = new SourceTally();
    tally.add([prepared(purchase)], [recorded], now);
    const broken = { execute: () => Promise.reject(new Error('away')) } as unknown as typeof opened.database;
    await expect(writeSources(broken, tally)).rejects.toThrow('away');
    await writeSources(opened.database, tally);
    expect(await rows()).toEqual([]);
    const quiet = (): void => undefined;
    const logger: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
    const tools = { database: opened.database, clock: new SystemClock(), random: new SystemRandom(), logger };
    const writer = sourceWriter(tools, tally);
    writer.start();
    tally.add([prepared(purchase)], [recorded], now);
    await writer.stop();
    expect(await rows()).toEqual([`f ${till} berlin-07 coffee-club | 1 0 0 0 0 0`]);
  });
});
