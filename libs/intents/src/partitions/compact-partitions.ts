import type { Database, SqlStatement } from '#platform';

import type { RetentionHold } from '../retention/retention-run.js';
import { withTableLock } from './with-table-lock.js';

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
  for (const name of await listOldPartitions(database, finalPosition)) {
    const { bytes, usedBytes } = await measurePartition(database, name);
    if (bytes < bytesMin || usedBytes > bytes * usedShareMax) continue;
    if (await compactPartition(database, name, hold)) done.push(name);
  }
  return done;
}

const listStatement: SqlStatement = {
  name: 'list_old_partitions',
  text: `
SELECT c.relname AS name FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
WHERE inhparent = 'intent_event'::regclass
  AND (substring(event_partition_bounds(c.relname) FROM 'TO \\(''?(\\d+)'))::bigint <= $1::bigint
ORDER BY c.relname`,
};

/** Names of the partitions that get no further event: every position in them is final. */
async function listOldPartitions(database: Database, finalPosition: number): Promise<readonly string[]> {
  return (await database.execute<{ name: string }>(listStatement, [finalPosition])).rows.map(({ name }) => name);
}

interface PartitionFill {
  readonly bytes: number;
  /** Of them, estimated from a sample. */
  readonly usedBytes: number;
}

const measureStatement: SqlStatement = {
  name: 'measure_partition',
  text: 'SELECT bytes, used_bytes AS "usedBytes" FROM measure_partition($1)',
};

/** How much of a partition's file holds events. */
async function measurePartition(database: Database, name: string): Promise<PartitionFill> {
  return (await database.execute<PartitionFill>(measureStatement, [name])).rows[0] ?? { bytes: 0, usedBytes: 0 };
}

/** Pages read in one statement: 16 MiB. No transaction is long. */
const pagesMax = 2_000;

const beginStatement: SqlStatement = { name: 'begin_partition_copy', text: 'SELECT begin_partition_copy($1)' };
const copyStatement: SqlStatement = {
  name: 'copy_partition_pages',
  text: `SELECT copy_partition_pages($1, ${pagesMax}) AS "isWhole"`,
};
const swapStatement: SqlStatement = { name: 'swap_partition', text: 'SELECT swap_partition($1)' };

/** What two tables have in common when they hold the same rows. */
interface Sum {
  readonly rows: number;
  readonly digest: string;
}

const pagesStatement: SqlStatement = {
  name: 'count_pages',
  text: `SELECT pg_relation_size($1::text::regclass) / current_setting('block_size')::bigint AS pages`,
};

const sumStatement: SqlStatement = {
  name: 'sum_partition_pages',
  text: `SELECT counted AS rows, digest FROM sum_partition_pages($1, $2, ${pagesMax})`,
};

async function sumOf(database: Database, table: string, stillOurs: () => Promise<void>): Promise<Sum> {
  const total = { rows: 0, digest: 0n };
  const pages = (await database.execute<{ pages: number }>(pagesStatement, [table])).rows[0]?.pages ?? 0;
  for (let page = 0; page < pages; page += pagesMax) {
    await stillOurs();
    const { rows } = await database.execute<{ rows: number; digest: string }>(sumStatement, [table, page]);
    total.rows += rows[0]?.rows ?? 0;
    total.digest += BigInt(rows[0]?.digest ?? 0);
  }
  return { rows: total.rows, digest: String(total.digest) };
}

async function copyPages(database: Database, name: string, { stillOurs, fence }: RetentionHold): Promise<void> {
  for (let isWhole = false; !isWhole;) {
    await stillOurs();
    isWhole = await database.transaction('copy_partition', async (session) => {
      await fence(session);
      const { rows } = await session.query<{ isWhole: boolean }>(copyStatement, [name]);
      return rows[0]?.isWhole === true;
    });
  }
}

/**
 * Writes a partition anew without the room of what has left, or drops it where nothing is left: the copy is compared with
 * it row by row before it takes its place. Nobody else lets anything leave meanwhile, or touches the copy: each transaction
 * that changes something asks first whether the run is ours still, and what was compared by a run that is, is so still.
 * @returns false when the tables were busy, or the copy is not the same: then everything is as before
 */
async function compactPartition(database: Database, name: string, hold: RetentionHold): Promise<boolean> {
  const change = (step: string, statement: SqlStatement): Promise<boolean> =>
    withTableLock(database, step, async (session) => {
      await hold.fence(session);
      await session.query(statement, [name]);
    });
  if (!(await change('prepare_copy', beginStatement))) return false;
  await copyPages(database, name, hold);
  const old = await sumOf(database, name, hold.stillOurs);
  const copy = await sumOf(database, `${name}_copy`, hold.stillOurs);
  if (old.rows !== copy.rows || old.digest !== copy.digest) return false;
  return change('swap_partition', swapStatement);
}
