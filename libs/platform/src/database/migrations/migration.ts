import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withoutLimit } from '../answer-limit.js';
import { judgeStatement, splitSql, type StatementEffect } from './judge-statement.js';

/** Why older programs cannot go on beside a schema, and which can. */
export interface BreakingNote {
  /**
   * Schema version of the oldest program that still works: the timestamp of the newest migration that it knows. Programs
   * that know less refuse to start, and must be gone before the migration runs.
   */
  readonly serves: number;
  /** For the operator who reads the plan. */
  readonly why: string;
}

/**
 * A step of the schema, forward only. Without `breaking` it promises that whatever worked on the schema before still
 * does (docs/upgrades.md says what keeps that promise).
 */
export interface Migration extends MigrationInterface {
  readonly breaking?: BreakingNote;
}

/** A migration's class; its name ends in a timestamp of 13 digits. */
export type MigrationClass = new () => Migration;

const timestampDigits = 13;

/** The schema version that a migration leads to: the timestamp in its name. */
export function versionOf(migrationName: string): number {
  return Number(migrationName.slice(-timestampDigits));
}

/**
 * How long a migration waits for a table's lock before it lets go and tries again: everybody who comes later waits behind
 * it, however short their own work is.
 */
const migrationLockTimeoutMs = 2_000;

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

/** A migration as its own statements tell it. */
export interface ReadMigration {
  readonly name: string;
  readonly breaking: BreakingNote | null;
  /** Runs in a transaction; otherwise it can be left half done. */
  readonly isTransactional: boolean;
  /** Its statements' effects, in order; those on tables that it creates itself are left out. */
  readonly effects: readonly StatementEffect[];
  readonly creates: readonly string[];
}

const createdTable = /^CREATE TABLE (?:IF NOT EXISTS )?([\w.]+)/i;

/** Runs nothing: the statements go into a list. */
function recorder(texts: string[]): QueryRunner {
  const query = async (text: string): Promise<unknown[]> => {
    texts.push(text);
    return Promise.resolve([]);
  };
  return { query, isTransactionActive: true } as unknown as QueryRunner;
}

/** Reads what a migration would do, without a database. What depends on answers of the database is not seen. */
export async function readMigration(Class: MigrationClass): Promise<ReadMigration> {
  const migration = new Class();
  const texts: string[] = [];
  await migration.up(recorder(texts)).catch(() => undefined);
  const statements = texts.flatMap(splitSql);
  const creates = statements.flatMap((text) => createdTable.exec(text)?.slice(1) ?? []);
  const effects = statements.map(judgeStatement).filter(({ table }) => table === null || !creates.includes(table));
  return {
    name: Class.name,
    breaking: migration.breaking ?? null,
    isTransactional: migration.transaction !== false,
    effects,
    creates,
  };
}
