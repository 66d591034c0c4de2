import type { Database, SqlSession, SqlStatement } from '#platform';
import { DatabaseError } from '#platform';

/** Whoever changes partitions; the others leave it to them. The functions that do it take it, too. */
const partitionLock = 7_226_409_115;
/** Live traffic waits behind us for a table for so long at most: a fraction of what a claim may take. */
export const tableLockMsMax = 250;

const lockStatement: SqlStatement = {
  name: 'lock_partitions',
  isRead: true,
  text: `SELECT pg_try_advisory_xact_lock(${partitionLock}) AS "isOurs", set_config('lock_timeout', '${tableLockMsMax}ms', true)`,
};

const lockNotAvailable = '55P03';

/**
 * Changes tables in one transaction, by one process at a time, and gives up rather than let live traffic queue up behind
 * a lock that is not to be had.
 * @returns false when another process is at it, or the tables are busy: try again later
 */
export async function withTableLock(
  database: Database,
  name: string,
  work: (session: SqlSession) => Promise<void>,
): Promise<boolean> {
  try {
    return await database.transaction(name, async (session) => {
      const { rows } = await session.query<{ isOurs: boolean }>(lockStatement);
      if (rows[0]?.isOurs !== true) return false;
      await work(session);
      return true;
    });
  } catch (error) {
    if (error instanceof DatabaseError && error.sqlState === lockNotAvailable) return false;
    throw error;
  }
}
