import type { Database, SqlSession, SqlStatement } from '#platform';
import { DatabaseError } from '#platform';

import type { EventPartition } from './partition-plan.js';
import { withTableLock } from './with-table-lock.js';

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

/** CREATE TABLE ... PARTITION OF would lock out whoever reads events; attaching a table of its own does not. */
function statements({ name, from, to }: EventPartition): SqlStatement[] {
  return [
    {
      name: `create_${name}`,
      text: `CREATE TABLE ${name} (LIKE intent_event INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING COMPRESSION)`,
    },
    ...protectStatements(name),
    {
      name: `attach_${name}`,
      text: `ALTER TABLE intent_event ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`,
    },
  ];
}

/** Planned before the lock was ours: meanwhile another process made it. */
const duplicateTable = '42P07';

/**
 * Makes a partition. The default partition is locked for a moment and looked through, so it should be empty.
 * @returns false when it could not be done without making others wait, or another process was faster: look again later
 */
export async function createPartition(database: Database, partition: EventPartition): Promise<boolean> {
  try {
    return await withTableLock(database, 'create_partition', (session) => runAll(session, statements(partition)));
  } catch (error) {
    if (error instanceof DatabaseError && error.sqlState === duplicateTable) return false;
    throw error;
  }
}
