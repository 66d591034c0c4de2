import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import type { BatchResult, BatchToRecord, IngestKeys } from '#intents';
import { ChunkRepository, MemberKeys, OffsetBehindError, recordBatchMax, startOffset } from '#intents';
import type { Database, TypeormDatabase } from '#platform';
import { DatabaseError, LocalWake, SystemClock, SystemRandom } from '#platform';

import { Positions } from '../positions/positions.js';
import { eventRecord, testPrograms } from '../testing/events.js';
import { openDatabase, sharedKeys } from '../testing/ingest-fixture.js';
import { testSources } from '../testing/sources.js';
import { FakeSource, recordingLogger, recordingMetrics } from '../testing/fakes.js';
import { PartitionBatcher } from './partition-batcher.js';
import { prepareRecord } from './prepare-record.js';

const random = new SystemRandom();
const shared = sharedKeys();
const programs = testPrograms();
const topics = { members: 'loyalty.members', purchases: 'loyalty.purchases', rewards: 'loyalty.rewards' };
const now = Date.UTC(2026, 10, 21, 12);

let test: TestDatabase;
let database: TypeormDatabase;
let close: () => Promise<void>;

const sourceOf = (partition: number): BatchToRecord['source'] => {
  return { clusterId: 'c1', topic: 'loyalty.purchases', incarnation: 1, partition };
};

beforeEach(async () => {
  test = await testDatabase();
  const opened = await openDatabase(test.url);
  database = opened.database;
  close = async () => {
    await opened.source.destroy();
    await test.dispose();
  };
  for (const partition of [0, 1, 2]) await startOffset(database, sourceOf(partition), 0);
});

afterEach(() => close());

function batcherOn(on: Database): PartitionBatcher {
  const keys: IngestKeys = { ...shared, members: new MemberKeys(shared.keyring, random), random };
  const clock = new SystemClock();
  const { logger } = recordingLogger();
  const { metrics } = recordingMetrics();
  const repository = new ChunkRepository(on, keys);
  const tools = { source: new FakeSource(), database: on, clock, random, logger, metrics };
  const positions = new Positions({ ...tools, fingerprint: () => new Uint8Array() }, { kind: 'earliest' });
  return new PartitionBatcher({
    ...{
      ...tools,
      repository,
      positions,
      programs: () => programs,
      sources: testSources(topics),
      wake: new LocalWake(),
    },
    ...{ hasDeadLetters: false, onQuarantined: () => undefined },
  });
}

function batch(partition: number, records = 1, change: Partial<BatchToRecord> = {}): BatchToRecord {
  const source = sourceOf(partition);
  const context = { source, authority: null, programs: programs.file, now };
  const prepared = Array.from({ length: records }, (_, at) => {
    const id = `${partition}-${at}`;
    const data = { memberId: `m${at}`, purchaseId: id };
    return prepareRecord(eventRecord({ id, name: 'loyalty.purchase.completed.v1', data }, at), context);
  });
  const range = { fromOffset: 0, nextOffset: records };
  return { source, records: prepared, ...range, now, programsHash: programs.hash, ...change };
}

/** The partitions of each transaction. */
async function transactions(): Promise<number[][]> {
  const { rows } = await database.execute<{ partitions: number[] }>({
    name: 'partitions_of_transactions',
    text: 'SELECT array_agg(DISTINCT partition ORDER BY partition) AS partitions FROM intent GROUP BY xid ORDER BY 1',
  });
  return rows.map(({ partitions }) => partitions);
}

const recordAll = (batcher: PartitionBatcher, ...batches: readonly BatchToRecord[]): Promise<BatchResult[]> =>
  Promise.all(batches.map((each) => batcher.record(each)));

describe('small batches that come in the same turn', () => {
  it('share a transaction, and each gets its own result', async () => {
    const results = await recordAll(batcherOn(database), batch(0), batch(1, 2), batch(2));
    expect(results.map(({ intents, nextOffset }) => [intents, nextOffset])).toEqual([
      [1, 1],
      [2, 2],
      [1, 1],
    ]);
    expect(await transactions()).toEqual([[0, 1, 2]]);
  });

  it('go apart where one transaction would be too large, or different programs files routed them', async () => {
    const other = { programsHash: Buffer.alloc(16, 2) };
    await recordAll(batcherOn(database), batch(0, recordBatchMax - 1), batch(1, 2), batch(2, 1, other));
    expect(await transactions()).toEqual([[0], [1], [2]]);
  });

  it('do not wait for those of a later turn', async () => {
    const batcher = batcherOn(database);
    await batcher.record(batch(0));
    await batcher.record(batch(1));
    expect(await transactions()).toEqual([[0], [1]]);
  });

  it('answer for themselves where one of them is refused', async () => {
    const batcher = batcherOn(database);
    const behind = batch(1, 1, { fromOffset: 7, nextOffset: 8 });
    const settled = await Promise.allSettled([batch(0), behind, batch(2)].map((each) => batcher.record(each)));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(settled[1]).toMatchObject({ reason: expect.any(OffsetBehindError) as unknown });
    expect(await transactions()).toEqual([[0], [2]]);
  });

  it('wait together for a database that is away, which is asked once', async () => {
    let asked = 0;
    const away: Database = {
      execute: (statement, parameters) => database.execute(statement, parameters),
      transaction: (name) => {
        asked += 1;
        return Promise.reject(new DatabaseError(name, 'unavailable', { sqlState: null, cause: null }));
      },
    };
    const batcher = batcherOn(away);
    const settled = await Promise.allSettled([batch(0), batch(1)].map((each) => batcher.record(each)));
    for (const each of settled) expect(each).toMatchObject({ reason: expect.any(DatabaseError) as unknown });
    expect(asked).toBe(1);
  });
});
