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
}

interface DoneRow {
  readonly name: string;
  /** Oldest schema version whose programs it serves; null: it left no mark. */
  readonly serves: number | null;
}

const tablesText = `
SELECT to_regclass('schema_migration') IS NOT NULL AS done, to_regclass('schema_mark') IS NOT NULL AS marks`;
const doneText = 'SELECT name, NULL AS serves FROM schema_migration';
const markedText = `
SELECT d.name, m.serves::float8 AS serves FROM schema_migration d LEFT JOIN schema_mark m ON m.migration = d.name`;

/** What TypeORM calls a migration. */
export function migrationName(migration: MigrationInterface): string {
  return migration.name ?? migration.constructor.name;
}

async function doneMigrations(dataSource: DataSource): Promise<DoneRow[]> {
  const [tables] = await dataSource.query<{ done: boolean; marks: boolean }[]>(tablesText);
  if (tables?.done !== true) return [];
  return dataSource.query<DoneRow[]>(tables.marks ? markedText : doneText);
}

/** Compares the migrations that ran with those of the program. Changes nothing. */
export async function schemaState(dataSource: DataSource): Promise<SchemaState> {
  const done = await doneMigrations(dataSource);
  const names = done.map(({ name }) => name);
  const known = dataSource.migrations.map(migrationName);
  const version = Math.max(0, ...known.map(versionOf));
  const unknown = done.filter(({ name }) => !known.includes(name));
  return {
    isEmpty: done.length === 0,
    pending: known.filter((name) => !names.includes(name)),
    unknown: unknown.map(({ name }) => name),
    // Nobody vouches for one without a mark.
    outgrown: unknown.filter(({ serves }) => (serves ?? Infinity) > version).map(({ name }) => name),
  };
}
