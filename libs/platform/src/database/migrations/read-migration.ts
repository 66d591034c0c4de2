import type { QueryRunner } from 'typeorm';

import type { StatementEffect } from './judge-statement.js';
import { judgeStatement } from './judge-statement.js';
import type { BreakingNote, MigrationClass } from './migration.js';
import { splitSql } from './split-sql.js';

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
