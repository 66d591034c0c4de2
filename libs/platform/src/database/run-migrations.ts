import type { DataSource } from 'typeorm';

/** One migrating process at a time; the others wait here. Any fixed number would do. */
const migrationLock = 7_226_409_114;

/** Names of the migrations that the database has not seen yet, in order. */
export async function pendingMigrations(dataSource: DataSource): Promise<string[]> {
  const [table] = await dataSource.query<{ exists: boolean }[]>(
    'SELECT to_regclass(\'schema_migration\') IS NOT NULL AS "exists"',
  );
  const rows = table?.exists ? await dataSource.query<{ name: string }[]>('SELECT name FROM schema_migration') : [];
  const done = rows.map((row) => row.name);
  return dataSource.migrations.map((migration) => migration.constructor.name).filter((name) => !done.includes(name));
}

/**
 * Brings the schema up to date, each migration in its own transaction. Concurrent calls, also from other processes,
 * wait for each other.
 * @returns the names of the migrations that ran
 */
export async function runMigrations(dataSource: DataSource): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    // Another process may be migrating for longer than a statement may take.
    await runner.query('SET statement_timeout = 0');
    await runner.query(`SELECT pg_advisory_lock(${migrationLock})`);
    const ran = await dataSource.runMigrations({ transaction: 'each' });
    return ran.map((migration) => migration.name);
  } finally {
    await runner.query(`SELECT pg_advisory_unlock(${migrationLock})`).catch(() => undefined);
    await runner.query('RESET statement_timeout').catch(() => undefined);
    await runner.release();
  }
}
