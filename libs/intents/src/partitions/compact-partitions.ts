import type { Database, SqlStatement } from '#platform';

import type { RetentionHold } from '../retention/retention-run.js';
import { protectStatements, runAll, withTableLock } from './with-table-lock.js';

interface CompactionLimits {
  /** Positions up to here are final, and read by everybody who follows the events. */
  readonly finalPosition: number;
  /** A smaller one is not worth it. */
  readonly bytesMin: number;
}

/** Below it half of the file is given back. */
const usedShareMax = 0.5;

/** Gives back the room of what has left: partitions that get no more events are written anew, or dropped. @returns their names */
export async function compactPartitions(
  database: Database,
  { finalPosition, bytesMin }: CompactionLimits,
  hold: RetentionHold,
): Promise<readonly string[]> {
  const done: string[] = [];
  for (const partition of await listOldPartitions(database, finalPosition)) {
    const { bytes, usedBytes } = await measurePartition(database, partition.name);
    if (bytes < bytesMin || usedBytes > bytes * usedShareMax) continue;
    if (await compactPartition(database, partition, hold)) done.push(partition.name);
  }
  return done;
}

/** Pages looked at to estimate a partition, in percent. */
const samplePercent = 1;

interface OldPartition {
  readonly name: string;
  /** As Postgres writes them: `FOR VALUES FROM (...) TO (...)`. */
  readonly bounds: string;
}

const listStatement: SqlStatement = {
  name: 'list_old_partitions',
  text: `
SELECT relname AS name, bounds FROM (
  SELECT c.relname, pg_get_expr(c.relpartbound, c.oid) AS bounds FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
  WHERE inhparent = 'intent_event'::regclass
) p
WHERE (substring(bounds FROM 'TO \\(''?(\\d+)'))::bigint <= $1::bigint ORDER BY relname`,
};

/** Partitions that get no further event: every position in them is final. */
async function listOldPartitions(database: Database, finalPosition: number): Promise<readonly OldPartition[]> {
  return (await database.execute<OldPartition>(listStatement, [finalPosition])).rows;
}

interface PartitionFill {
  readonly bytes: number;
  /** Of them, estimated from a sample. */
  readonly usedBytes: number;
}

/** How much of a partition's file holds events. @param name of a partition of ours */
async function measurePartition(database: Database, name: string): Promise<PartitionFill> {
  const text = `
SELECT pg_relation_size('${name}')::float8 AS bytes,
  COALESCE((SELECT sum(pg_column_size(e.*)) FROM ${name} e TABLESAMPLE SYSTEM (${samplePercent})), 0) * ${100 / samplePercent}::float8
    AS "usedBytes"`;
  const { rows } = await database.execute<PartitionFill>({ name: `measure_${name}`, text });
  return rows[0] ?? { bytes: 0, usedBytes: 0 };
}

/** Pages read in one statement: 16 MiB. */
const pagesMax = 2_000;

/** What two tables have in common when they hold the same rows. */
interface Sum {
  readonly rows: number;
  readonly digest: string;
}

function prepare(name: string): SqlStatement[] {
  const copy = `${name}_copy`;
  return [
    { name: `drop_${copy}`, text: `DROP TABLE IF EXISTS ${copy}` },
    {
      name: `create_${copy}`,
      text: `CREATE TABLE ${copy} (LIKE intent_event INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING COMPRESSION INCLUDING INDEXES)`,
    },
  ];
}

function swap({ name, bounds }: OldPartition, isEmpty: boolean): SqlStatement[] {
  const copy = `${name}_copy`;
  const away = [
    { name: `detach_old_${name}`, text: `ALTER TABLE intent_event DETACH PARTITION ${name}` },
    { name: `drop_old_${name}`, text: `DROP TABLE ${name}` },
  ];
  if (isEmpty) return [...away, { name: `drop_${copy}`, text: `DROP TABLE IF EXISTS ${copy}` }];
  return [
    ...away,
    { name: `rename_${copy}`, text: `ALTER TABLE ${copy} RENAME TO ${name}` },
    { name: `attach_new_${name}`, text: `ALTER TABLE intent_event ATTACH PARTITION ${name} ${bounds}` },
    { name: `unbind_${copy}`, text: `ALTER TABLE ${name} DROP CONSTRAINT copy_bounds` },
    ...protectStatements(name),
  ];
}

const withinPages = 'ctid >= $1::tid AND ctid < $2::tid';

/** The rows of a partition come some pages at a time, so that no transaction is long. */
async function eachPages(
  database: Database,
  table: string,
  work: (bounds: readonly [string, string]) => Promise<void>,
): Promise<void> {
  const text = `SELECT pg_relation_size('${table}') / current_setting('block_size')::bigint AS pages`;
  const { rows } = await database.execute<{ pages: number }>({ name: `size_${table}`, text });
  const pages = rows[0]?.pages ?? 0;
  for (let page = 0; page < pages; page += pagesMax) {
    await work([`(${page},0)`, `(${page + pagesMax},0)`]);
  }
}

async function sumOf(database: Database, table: string, stillOurs: () => Promise<void>): Promise<Sum> {
  const total = { rows: 0, digest: 0n };
  const text = `
SELECT count(*) AS rows, COALESCE(sum(hashtextextended(e::text, 0)), 0)::text AS digest FROM ${table} e WHERE ${withinPages}`;
  await eachPages(database, table, async (bounds) => {
    await stillOurs();
    const { rows } = await database.execute<{ rows: number; digest: string }>({ name: `sum_${table}`, text }, bounds);
    total.rows += rows[0]?.rows ?? 0;
    total.digest += BigInt(rows[0]?.digest ?? 0);
  });
  return { rows: total.rows, digest: String(total.digest) };
}

/** From now on Postgres knows that all rows fit, and need not look once more while others wait. */
function bind({ name, bounds }: OldPartition): SqlStatement {
  const [, from = '', to = ''] = /FROM \((?:MINVALUE|'?(\d+)'?)\) TO \('?(\d+)'?\)/.exec(bounds) ?? [];
  const above = from === '' ? '' : ` AND pos >= ${from}`;
  const text = `ALTER TABLE ${name}_copy ADD CONSTRAINT copy_bounds CHECK (pos IS NOT NULL${above} AND pos < ${to})`;
  return { name: `bind_${name}_copy`, text };
}

/**
 * Writes a partition anew without the room of what has left, or drops it where nothing is left: the copy is compared with
 * it row by row before it takes its place. Nobody else lets anything leave meanwhile, or touches the copy: each transaction
 * that changes something asks first whether the run is ours still, and what was compared by a run that is, is so still.
 * @returns false when the tables were busy, or the copy is not the same: then everything is as before
 */
async function compactPartition(
  database: Database,
  partition: OldPartition,
  { stillOurs, fence }: RetentionHold,
): Promise<boolean> {
  const { name } = partition;
  const change = (step: string, statements: readonly SqlStatement[]): Promise<boolean> =>
    withTableLock(database, step, async (session) => {
      await fence(session);
      await runAll(session, statements);
    });
  if (!(await change('prepare_copy', [...prepare(name), bind(partition)]))) return false;
  const text = `INSERT INTO ${name}_copy SELECT * FROM ${name} WHERE ${withinPages}`;
  await eachPages(database, name, async (bounds) => {
    await stillOurs();
    await database.transaction('copy_partition', async (session) => {
      await fence(session);
      await session.query({ name: `copy_${name}`, text }, bounds);
    });
  });
  const [old, copy] = [await sumOf(database, name, stillOurs), await sumOf(database, `${name}_copy`, stillOurs)];
  if (old.rows !== copy.rows || old.digest !== copy.digest) return false;
  return change('swap_partition', swap(partition, copy.rows === 0));
}
