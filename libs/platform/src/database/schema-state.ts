import type { DataSource, MigrationInterface } from 'typeorm';

import { versionOf } from './migrations/migration.js';

/** How the database's schema stands to the program's migrations. */
export interface SchemaState {
  /** No migration of ours ever ran. */
  readonly isEmpty: boolean;
  /** Not run yet, in order. */
  readonly pending: readonly string[];
  /** Run by a newer program: this one does not know them. */
  readonly unknown: readonly string[];
  /** Those of `unknown` beside which this program cannot work: their marks ask for a newer one. */
  readonly outgrown: readonly string[];
  /** Where the last migrating process was stopped, as long as that migration is pending. */
  readonly stopped: StoppedMigration | null;
}

/** A migration that Postgres refused. */
export interface StoppedMigration {
  readonly migration: string;
  /** In Postgres' words, or its SQLSTATE. Quotes no row. */
  readonly reason: string;
}

interface DoneRow {
  readonly name: string;
  /** Oldest schema version whose programs it serves; null: it left no mark. */
  readonly serves: number | null;
}

const tablesText = `
SELECT to_regclass('schema_migration') IS NOT NULL AS done, to_regclass('schema_mark') IS NOT NULL AS marks,
  to_regclass('schema_stop') IS NOT NULL AS stopped`;
const doneText = 'SELECT name, NULL AS serves FROM schema_migration';
const stopText = 'SELECT migration, reason FROM schema_stop';
const markedText = `
SELECT d.name, m.serves::float8 AS serves FROM schema_migration d LEFT JOIN schema_mark m ON m.migration = d.name`;

/** What TypeORM calls a migration. */
export function migrationName(migration: MigrationInterface): string {
  return migration.name ?? migration.constructor.name;
}

interface Tables {
  readonly done: boolean;
  readonly marks: boolean;
  readonly stopped: boolean;
}

/** There only from a refused migration to the next one that is not: what a later process says of it. */
const createStop = 'CREATE TABLE IF NOT EXISTS schema_stop (migration text NOT NULL, reason text NOT NULL)';

/** Leaves word of where migrating stopped, instead of any earlier one. */
export async function recordStop(dataSource: DataSource, { migration, reason }: StoppedMigration): Promise<void> {
  await dataSource.transaction(async (session) => {
    await session.query(createStop);
    await session.query('DELETE FROM schema_stop');
    await session.query('INSERT INTO schema_stop (migration, reason) VALUES ($1, $2)', [migration, reason]);
  });
}

/** Nothing stands in the way any more. */
export async function forgetStop(dataSource: DataSource): Promise<void> {
  await dataSource.query('DROP TABLE IF EXISTS schema_stop');
}

/** Compares the migrations that ran with those of the program. Changes nothing. */
export async function schemaState(dataSource: DataSource): Promise<SchemaState> {
  const [tables] = await dataSource.query<Tables[]>(tablesText);
  const doneQuery = tables?.marks === true ? markedText : doneText;
  const done = tables?.done === true ? await dataSource.query<DoneRow[]>(doneQuery) : [];
  const stops = tables?.stopped === true ? await dataSource.query<StoppedMigration[]>(stopText) : [];
  const names = done.map(({ name }) => name);
  const known = dataSource.migrations.map(migrationName);
  const version = Math.max(0, ...known.map(versionOf));
  const unknown = done.filter(({ name }) => !known.includes(name));
  const pending = known.filter((name) => !names.includes(name));
  return {
    isEmpty: done.length === 0,
    pending,
    stopped: stops.find(({ migration }) => pending.includes(migration)) ?? null,
    unknown: unknown.map(({ name }) => name),
    // Nobody vouches for one without a mark.
    outgrown: unknown.filter(({ serves }) => (serves ?? Infinity) > version).map(({ name }) => name),
  };
}
