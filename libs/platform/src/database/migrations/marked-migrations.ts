import type { QueryRunner } from 'typeorm';

import { withoutLimit } from '../answer-limit.js';
import type { Migration, MigrationClass } from './migration.js';

/**
 * How long a migration waits for a table's lock before it lets go and tries again: everybody who comes later waits behind
 * it, however short their own work is.
 */
export const migrationLockTimeoutMs = 2_000;

const hasMarks = 'SELECT to_regclass(\'schema_mark\') IS NOT NULL AS "exists"';
const mark = 'INSERT INTO schema_mark (migration, serves) VALUES ($1, $2) ON CONFLICT (migration) DO NOTHING';

/** A short wait for locks, and no limit on the work itself: a big table takes as long as it takes. */
async function setLimits(runner: QueryRunner): Promise<void> {
  // Outside a transaction only indexes are built or dropped concurrently: that waits for others without stopping anybody.
  const waitMs = runner.isTransactionActive ? migrationLockTimeoutMs : 0;
  await runner.query(`SET statement_timeout = 0; SET lock_timeout = ${waitMs}`);
}

async function runMarked(migration: Migration, name: string, runner: QueryRunner): Promise<void> {
  await setLimits(runner);
  try {
    await migration.up(runner);
    const [table] = (await runner.query(hasMarks)) as { readonly exists: boolean }[];
    if (table?.exists === true) await runner.query(mark, [name, migration.breaking?.serves ?? 0]);
  } finally {
    // A transaction that failed takes its settings with it.
    await runner.query('RESET statement_timeout; RESET lock_timeout').catch(() => undefined);
  }
}

/**
 * The migration as it runs: with limits, and leaving its mark in the database in the same transaction. The mark tells
 * programs that do not know the migration whether they may go on (`schema_mark.serves`; 0: all may).
 */
export function marked(Class: MigrationClass): MigrationClass {
  const migration = new Class();
  const { name } = Class;
  return class {
    readonly name = name;
    readonly transaction = migration.transaction;

    async up(runner: QueryRunner): Promise<void> {
      await withoutLimit(runner, () => runMarked(migration, name, runner));
    }

    async down(runner: QueryRunner): Promise<void> {
      await migration.down(runner);
    }
  } as unknown as MigrationClass;
}
