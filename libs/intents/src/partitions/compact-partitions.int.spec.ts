import type { Database } from '#platform';

import type { RetentionHold } from '../retention/retention-run.js';
import { fenceRetention, RetentionStoppedError } from '../retention/retention-run.js';
import type { TestStore } from '../testing/test-store.js';
import { testStore } from '../testing/test-store.js';
import { compactPartitions } from './compact-partitions.js';
import { keepPartitions, partitionPositions as positions } from './keep-partitions.js';

let store: TestStore;

beforeEach(async () => {
  store = await testStore(2);
  await store.sql(
    `INSERT INTO intent_event (pos, lane_id, seq, version, attempt, epoch, type, at, data, sealed)
     SELECT p, p % 7, 1, p, 0, 0, 'PassFound', '2026-11-21T09:00:00Z', '{"a": 1}', '\\x0102' FROM generate_series(1, 3000) AS p RETURNING pos`,
  );
  await store.sql(
    `INSERT INTO intent_event (pos, lane_id, seq, version, attempt, epoch, type, at)
     VALUES ($1, 1, 1, 1, 0, 0, 'PassFound', '2026-11-21T09:00:00Z') RETURNING pos`,
    positions,
  );
  // All positions of the first partition have been given out.
  await store.sql('SELECT setval($1::regclass, $2)', 'event_pos_seq', positions + 1);
});

afterEach(() => store.close());

const nothing = async (): Promise<void> => undefined;
const noWord: RetentionHold = { stillOurs: nothing, fence: nothing };

/** Lets rows leave, as only an archive and a checkpoint may. */
async function letLeave(where: string): Promise<void> {
  await store.sql('ALTER TABLE intent_event DISABLE TRIGGER USER');
  await store.sql(`DELETE FROM intent_event WHERE ${where}`);
  await store.sql('ALTER TABLE intent_event ENABLE TRIGGER USER');
}

async function rows(): Promise<object[]> {
  return store.sql('SELECT *, tableoid::regclass::text AS part FROM intent_event ORDER BY pos');
}

async function pages(table: string): Promise<number> {
  const text = `SELECT pg_relation_size($1::regclass) / current_setting('block_size')::bigint AS pages`;
  return (await store.sql<{ pages: number }>(text, table))[0]?.pages ?? 0;
}

it('writes an old partition anew, the same rows on fewer pages, and protects it as before', async () => {
  await letLeave('pos <= 3000 AND pos % 100 <> 0');
  const before = { rows: await rows(), pages: await pages('intent_event_p1') };
  const limits = { finalPosition: positions + 1, bytesMin: 0 };
  expect(await compactPartitions(store.database, limits, noWord)).toEqual(['intent_event_p1']);
  expect(await rows()).toEqual(before.rows);
  expect(await pages('intent_event_p1')).toBeLessThan(before.pages / 10);
  for (const text of [
    'DELETE FROM intent_event_p1',
    'UPDATE intent_event_p1 SET seq = 2',
    'TRUNCATE intent_event_p1',
  ]) {
    await expect(store.sql(text)).rejects.toMatchObject({ sqlState: '23000' });
  }
  await store.sql(
    `INSERT INTO intent_event (pos, lane_id, seq, version, attempt, epoch, type, at) VALUES (0, 1, 1, 9, 0, 0, 'PassFound', '2026-11-21T09:00:00Z')`,
  );
  expect(await rows()).toHaveLength(before.rows.length + 1);
});

it('leaves alone what still gets events, and what is not worth it', async () => {
  await letLeave('pos <= 3000 AND pos % 100 <> 0');
  const before = await pages('intent_event_p1');
  expect(await compactPartitions(store.database, { finalPosition: positions - 1, bytesMin: 0 }, noWord)).toEqual([]);
  expect(await compactPartitions(store.database, { finalPosition: positions, bytesMin: 1e9 }, noWord)).toEqual([]);
  expect(await pages('intent_event_p1')).toBe(before);
});

it('drops a partition of which nothing is left; those to come are made as if it were there', async () => {
  await letLeave('pos <= 3000');
  const limits = { finalPosition: positions, bytesMin: 0 };
  expect(await compactPartitions(store.database, limits, noWord)).toEqual(['intent_event_p1']);
  expect(
    await store.sql("SELECT to_regclass('intent_event_p1') AS gone, to_regclass('intent_event_p1_copy') AS copy"),
  ).toEqual([{ gone: null, copy: null }]);
  expect(await rows()).toHaveLength(1);
  expect((await keepPartitions(store.database, { ahead: 2, positions })).made).toEqual([
    'intent_event_p3',
    'intent_event_p4',
  ]);
});

it('puts nothing in the place of a partition once another process has taken over and begun a copy of its own', async () => {
  await letLeave('pos <= 3000 AND pos % 100 <> 0');
  const before = await rows();
  const [mine, theirs] = [store.random.uuid(), store.random.uuid()];
  await store.sql('UPDATE retention_run SET owner = $1::uuid', mine);
  const takeOver = async (): Promise<void> => {
    await store.sql('UPDATE retention_run SET owner = $1::uuid', theirs);
    await store.sql('DELETE FROM intent_event_p1_copy WHERE pos > 1000');
  };
  // We stall after the comparison.
  const stalling: Database = {
    execute: (statement, parameters) => store.database.execute(statement, parameters),
    transaction: async (name, work) => {
      if (name === 'swap_partition') await takeOver();
      return store.database.transaction(name, work);
    },
  };
  const hold: RetentionHold = { stillOurs: nothing, fence: (session) => fenceRetention(session, mine) };
  const limits = { finalPosition: positions, bytesMin: 0 };
  await expect(compactPartitions(stalling, limits, hold)).rejects.toThrow(RetentionStoppedError);
  expect(await rows()).toEqual(before);
  await expect(compactPartitions(store.database, limits, hold)).rejects.toThrow('another process has taken over');
});
