import type { Database, SqlSession, SqlStatement } from '#platform';
import { DatabaseError } from '#platform';

/** Whoever changes partitions; the others leave it to them. Any fixed number would do. */
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

/**
 * As the migrations make them: nobody may empty one, others than the owner may change none, and it belongs to whom all belongs:
 * the user of this process may be one of several, and a migration by another one changes all partitions or fails.
 */
export function protectStatements(name: string): SqlStatement[] {
  const trigger = `CREATE TRIGGER ${name}_no_truncate BEFORE TRUNCATE ON ${name}
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`;
  const own = `DO $$ BEGIN
    EXECUTE format('ALTER TABLE ${name} OWNER TO %s',
      (SELECT relowner::regrole FROM pg_class WHERE oid = 'intent_event'::regclass));
  END $$`;
  return [
    { name: `own_${name}`, text: own },
    { name: `protect_${name}`, text: trigger },
    { name: `revoke_${name}`, text: `REVOKE UPDATE, DELETE, TRUNCATE ON ${name} FROM PUBLIC` },
  ];
}

export async function runAll(session: SqlSession, statements: readonly SqlStatement[]): Promise<void> {
  for (const statement of statements) await session.query(statement);
}
