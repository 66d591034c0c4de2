import type { DataSource } from 'typeorm';

/** One migrating process at a time; the others wait here. Any fixed number would do. */
const migrationLock = 7_226_409_114;

/** How the database's schema stands to the program's migrations. */
export interface SchemaState {
  /** No migration of ours ever ran. */
  readonly isEmpty: boolean;
  /** Not run yet, in order. */
  readonly pending: readonly string[];
  /** Run by a newer program: this one does not know them. */
  readonly unknown: readonly string[];
}

/** Compares the migrations that ran with those of the program. Changes nothing. */
export async function schemaState(dataSource: DataSource): Promise<SchemaState> {
  const done = await doneMigrations(dataSource);
  const known = dataSource.migrations.map((migration) => migration.constructor.name);
  return {
    isEmpty: done.length === 0,
    pending: known.filter((name) => !done.includes(name)),
    unknown: done.filter((name) => !known.includes(name)),
  };
}

/** Names of the migrations that the database has not seen yet, in order. */
export async function pendingMigrations(dataSource: DataSource): Promise<string[]> {
  return [...(await schemaState(dataSource)).pending];
}

async function doneMigrations(dataSource: DataSource): Promise<string[]> {
  const [table] = await dataSource.query<{ exists: boolean }[]>(
    'SELECT to_regclass(\'schema_migration\') IS NOT NULL AS "exists"',
  );
  const rows = table?.exists ? await dataSource.query<{ name: string }[]>('SELECT name FROM schema_migration') : [];
  return rows.map((row) => row.name);
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
