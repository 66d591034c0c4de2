import pg from 'pg';

import { queryOnce } from '#test-support';

import { openTestStore, testStore } from '../testing/test-store.js';
import {
  countUnpartitionedEvents,
  createPartition,
  keepPartitions,
  partitionPositions as positions,
} from './keep-partitions.js';

let store: Awaited<ReturnType<typeof testStore>>;
const sizes = { ahead: 2, positions };

beforeEach(async () => {
  store = await testStore(4);
});

afterEach(() => store.close());

async function append(...places: number[]): Promise<void> {
  await store.sql(
    `INSERT INTO intent_event (pos, lane_id, seq, version, attempt, epoch, type, at)
     SELECT p, 1, 1, 2, 0, 0, 'PassFound', '2026-11-21T09:00:00Z' FROM unnest($1::bigint[]) AS p RETURNING pos`,
    places,
  );
}

async function moveTo(position: number): Promise<void> {
  await store.sql('SELECT setval($1::regclass, $2)', 'event_pos_seq', position);
}

async function rowsOf(table: string): Promise<number[]> {
  return (await store.sql<{ pos: number }>(`SELECT pos FROM ${table} ORDER BY pos`)).map(({ pos }) => pos);
}

it('makes what is missing, and then nothing', async () => {
  expect(await keepPartitions(store.database, sizes)).toEqual({ made: ['intent_event_p3'], isBusy: false });
  expect(await keepPartitions(store.database, sizes)).toEqual({ made: [], isBusy: false });
  await append(2 * positions, 3 * positions - 1, 3 * positions);
  expect(await rowsOf('intent_event_p3')).toEqual([2 * positions, 3 * positions - 1]);
  expect(await countUnpartitionedEvents(store.database)).toBe(1);
});

// Seen in a soak: the slower of two processes, which had looked before the faster one was done, complained.
it('leaves to another process what that one has made since we looked', async () => {
  const partition = { name: 'intent_event_p3', from: 2 * positions, to: 3 * positions };
  expect(await createPartition(store.database, partition)).toBe(true);
  expect(await createPartition(store.database, partition)).toBe(false);
});

// Found when daemons under test became ordinary users: who logs in later could neither read nor alter what this one made.
it('makes them for the owner of all, not for the user who makes them', async () => {
  const owner = new URL(store.url).username;
  const name = `${owner}_second`;
  await queryOnce(store.adminUrl, `CREATE ROLE ${name} LOGIN PASSWORD 'second' IN ROLE ${owner}`);
  const second = new URL(store.url);
  Object.assign(second, { username: name, password: 'second' });
  const other = await openTestStore(second.href, 2);
  try {
    expect(await keepPartitions(other.database, sizes)).toEqual({ made: ['intent_event_p3'], isBusy: false });
  } finally {
    await other.close();
  }
  const owners = await store.sql<{ owner: string }>(
    `SELECT DISTINCT c.relowner::regrole::text AS owner FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
     WHERE inhparent = 'intent_event'::regclass`,
  );
  expect(owners).toEqual([{ owner }]);
  await store.sql('ALTER TABLE intent_event ADD COLUMN later int');
  await queryOnce(store.adminUrl, `DROP ROLE ${name}`);
});

it('makes them like those of the migrations: indexes, guards, rights', async () => {
  await keepPartitions(store.database, sizes);
  const shapes = await store.sql<{ shape: string }>(
    `SELECT DISTINCT (SELECT array_agg(pg_get_indexdef(i.indexrelid) ~ '\\(lane_id, seq, version\\)' ORDER BY 1) FROM pg_index i WHERE i.indrelid = c.oid)::text
       || (SELECT array_agg(replace(t.tgname, c.relname, 'it') || t.tgtype ORDER BY t.tgname) FROM pg_trigger t WHERE t.tgrelid = c.oid)::text
       || (SELECT array_agg(a.attname || COALESCE(pg_get_expr(d.adbin, d.adrelid), '-') || a.attnotnull ORDER BY a.attnum) FROM pg_attribute a
           LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum WHERE a.attrelid = c.oid AND a.attnum > 0)::text AS shape
     FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = 'intent_event'::regclass`,
  );
  expect(shapes).toHaveLength(1);
  await append(2 * positions);
  for (const text of [
    'DELETE FROM intent_event_p3',
    'UPDATE intent_event_p3 SET seq = 2',
    'TRUNCATE intent_event_p3',
  ]) {
    await expect(store.sql(text)).rejects.toMatchObject({ sqlState: '23000' });
  }
});

it('makes a partition of what strayed, where it lies, and goes on ahead of it', async () => {
  await append(2 * positions + 1, 3 * positions + 7);
  await moveTo(3 * positions + 7);
  const { made } = await keepPartitions(store.database, sizes);
  expect(made).toEqual(['intent_event_p5', 'intent_event_p6']);
  expect(await rowsOf('intent_event_p5')).toEqual([2 * positions + 1, 3 * positions + 7]);
  expect(await countUnpartitionedEvents(store.database)).toBe(0);
  await append(5 * positions, 9 * positions);
  expect(await rowsOf('intent_event_p6')).toEqual([5 * positions]);
  expect(await rowsOf('intent_event_default')).toEqual([9 * positions]);
  for (const table of ['intent_event_p5', 'intent_event_default']) {
    await expect(store.sql(`DELETE FROM ${table}`)).rejects.toMatchObject({ sqlState: '23000' });
    await expect(store.sql(`TRUNCATE ${table}`)).rejects.toMatchObject({ sqlState: '23000' });
  }
});

it('takes up again what was interrupted', async () => {
  await append(2 * positions + 1);
  await moveTo(2 * positions + 1);
  await store.sql('ALTER TABLE intent_event_default ADD CONSTRAINT stray_bounds CHECK (pos < 1) NOT VALID');
  expect((await keepPartitions(store.database, sizes)).made).toEqual(['intent_event_p4', 'intent_event_p5']);
});

it('gives way to whoever holds the tables, and to another process', async () => {
  const client = new pg.Client({ connectionString: store.url });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('LOCK TABLE intent_event_default IN ACCESS SHARE MODE');
    expect(await keepPartitions(store.database, sizes)).toEqual({ made: [], isBusy: true });
    await append(1);
    await client.query('ROLLBACK');
    const all = await Promise.all([1, 2, 3].map(() => keepPartitions(store.database, sizes)));
    expect(all.flatMap(({ made }) => made)).toEqual(['intent_event_p3']);
  } finally {
    await client.end();
  }
});
