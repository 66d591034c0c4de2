import type { DataSource } from 'typeorm';

import { migrationName, schemaState } from '../schema-state.js';
import type { StatementEffect } from './judge-statement.js';
import type { MigrationClass } from './migration.js';
import type { ReadMigration } from './read-migration.js';
import { readMigration } from './read-migration.js';

/** How big a table is now, partitions included. */
export interface TableSize {
  /** An estimate of Postgres' own; null before anybody has counted. */
  readonly rows: number | null;
  readonly bytes: number;
}

/** A migration that is still to run, and how big the tables are that it works on. */
export interface PlannedMigration extends ReadMigration {
  readonly effects: readonly (StatementEffect & { readonly size: TableSize | null })[];
}

const sizeText = `
SELECT t.name, CASE WHEN min(c.reltuples) < 0 THEN NULL ELSE sum(c.reltuples)::float8 END AS rows,
  sum(pg_total_relation_size(c.oid))::float8 AS bytes
FROM unnest($1::text[]) AS t(name)
CROSS JOIN LATERAL (
  SELECT to_regclass(t.name)::oid AS relid UNION SELECT relid::oid FROM pg_partition_tree(to_regclass(t.name))
) p
JOIN pg_class c ON c.oid = p.relid AND c.relkind = 'r'
GROUP BY t.name`;

async function sizesOf(dataSource: DataSource, tables: readonly string[]): Promise<ReadonlyMap<string, TableSize>> {
  const rows = await dataSource.query<(TableSize & { readonly name: string })[]>(sizeText, [tables]);
  return new Map(rows.map(({ name, ...size }) => [name, size]));
}

/** What `runMigrations` would do. Changes nothing. */
export async function planMigrations(
  dataSource: DataSource,
  classes: readonly MigrationClass[],
): Promise<PlannedMigration[]> {
  const { pending } = await schemaState(dataSource);
  const read = await Promise.all(classes.filter(({ name }) => pending.includes(name)).map(readMigration));
  const tables = new Set(read.flatMap(({ effects }) => effects.flatMap(({ table }) => table ?? [])));
  const sizes = await sizesOf(dataSource, [...tables]);
  const order = dataSource.migrations.map(migrationName);
  return read
    .toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
    .map((migration) => ({
      ...migration,
      effects: migration.effects.map((effect) => ({ ...effect, size: sizes.get(effect.table ?? '') ?? null })),
    }));
}
