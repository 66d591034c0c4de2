import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { SafeError } from '../../errors.js';
import { objectMessage, sqlStateOf, toDatabaseError } from '../database-error.js';
import type { StatementEffect } from './judge-statement.js';
import { readMigration, versionOf, type MigrationClass, type ReadMigration } from './migration.js';

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
  /** Run by a build from before the first migration of this program: nothing leads from there to here. */
  readonly earlier: readonly string[];
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
function migrationName(migration: MigrationInterface): string {
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
async function recordStop(dataSource: DataSource, { migration, reason }: StoppedMigration): Promise<void> {
  await dataSource.transaction(async (session) => {
    await session.query(createStop);
    // It quotes no row, and the next start must see it, also one with a role that owns nothing.
    await session.query('GRANT SELECT ON schema_stop TO PUBLIC');
    await session.query('DELETE FROM schema_stop');
    await session.query('INSERT INTO schema_stop (migration, reason) VALUES ($1, $2)', [migration, reason]);
  });
}

/** Nothing stands in the way any more. */
async function forgetStop(dataSource: DataSource): Promise<void> {
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
  const foreign = done.filter(({ name }) => !known.includes(name));
  const [first = ''] = known;
  const isEarlier = ({ name }: DoneRow): boolean => versionOf(name) < versionOf(first);
  const unknown = foreign.filter((row) => !isEarlier(row));
  const pending = known.filter((name) => !names.includes(name));
  return {
    isEmpty: done.length === 0,
    pending,
    stopped: stops.find(({ migration }) => pending.includes(migration)) ?? null,
    earlier: foreign.filter(isEarlier).map(({ name }) => name),
    unknown: unknown.map(({ name }) => name),
    // A migration without a mark is not known to be safe.
    outgrown: unknown.filter(({ serves }) => (serves ?? Infinity) > version).map(({ name }) => name),
  };
}

/** How big a table is now, partitions included. */
interface TableSize {
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

/** One migrating process at a time; the others wait here. Any fixed number would do. */
const migrationLock = 7_226_409_114;
/** How long a process waits while another one migrates. */
const migrationWaitMsMax = 600_000;
/** How often those that wait ask whether it has ended. */
const lockAskMs = 250;
/** How often a migration asks for the locks of its tables, and the pause in which others get theirs. */
const lockTriesMax = 60;
const lockPauseMs = 1_000;
/** Postgres gave up waiting for a lock (`lock_timeout`). */
const lockNotAvailable = '55P03';

/** Another process has been migrating for longer than anybody waits. */
export class MigrationBusyError extends SafeError {
  override readonly name = 'MigrationBusyError';

  constructor(waitedMs: number) {
    super(
      `another process has been migrating this database for ${Math.round(waitedMs / 1_000)} s; ` +
        'look at pg_stat_activity for what it waits for',
    );
  }
}

/** A table's lock could not be had: some transaction keeps it. */
export class TableBusyError extends SafeError {
  override readonly name = 'TableBusyError';

  constructor(tries: number) {
    super(
      `a migration got no lock on its tables in ${tries} tries; nothing of it was kept. ` +
        'A transaction has been open for long: see pg_stat_activity, end it, and migrate again',
    );
  }
}

/** Postgres refused a migration; nothing of it was kept, all before it was. */
export class MigrationRefusedError extends SafeError {
  override readonly name = 'MigrationRefusedError';

  constructor(migration: string, reason: string, options: ErrorOptions) {
    super(`migration ${migration} was refused: ${reason}`, options);
  }
}

/** The schema is to be set up by another role than ours. */
export class NoRightToMigrateError extends SafeError {
  override readonly name = 'NoRightToMigrateError';

  constructor(role: string) {
    super(
      `the database is empty, and ${role} may not create tables in it; ` +
        'run `loyaltyd migrate` as the role that is to own them, with --grant for this one',
    );
  }
}

const creatorText = `
SELECT current_user::text AS role, COALESCE(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate"`;

/** @throws {NoRightToMigrateError} */
async function refuseWithoutRight(dataSource: DataSource): Promise<void> {
  const [creator] = await dataSource.query<{ role: string; mayCreate: boolean }[]>(creatorText);
  if (creator?.mayCreate === false) throw new NoRightToMigrateError(creator.role);
}

/** Names of the migrations that the database has not seen yet, in order. */
export async function pendingMigrations(dataSource: DataSource): Promise<string[]> {
  return [...(await schemaState(dataSource)).pending];
}

/** Asks again and again: a statement that waits keeps a snapshot, and for that an index built concurrently would wait. */
async function takeLock(runner: QueryRunner, waitMs: number): Promise<void> {
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    const answer: unknown = await runner.query(`SELECT pg_try_advisory_lock(${migrationLock}) AS "isOurs"`);
    if ((answer as { readonly isOurs: boolean }[])[0]?.isOurs === true) return;
    if (performance.now() >= giveUpAt) throw new MigrationBusyError(waitMs);
    await pause(lockAskMs);
  }
}

/** What is done here, no other process does meanwhile: it waits. @throws {MigrationBusyError} */
async function whileMigrating<T>(
  dataSource: DataSource,
  work: () => Promise<T>,
  waitMs: number = migrationWaitMsMax,
): Promise<T> {
  const runner = dataSource.createQueryRunner();
  try {
    await takeLock(runner, waitMs);
    return await work();
  } finally {
    await runner.query(`SELECT pg_advisory_unlock(${migrationLock})`).catch(() => undefined);
    await runner.release();
  }
}

/**
 * Runs what is pending, each migration in its own transaction. Whoever waits for a table's lock makes everybody wait who
 * comes later, so a migration lets go soon and tries again.
 */
async function runPending(dataSource: DataSource): Promise<string[]> {
  const before = await pendingMigrations(dataSource);
  for (let tries = 1; ; tries += 1) {
    try {
      await dataSource.runMigrations({ transaction: 'each' });
      // Another member of the owning role may have left it: what is done stays done, and nothing is told of it any more.
      await forgetStop(dataSource).catch(() => undefined);
      return before;
    } catch (error) {
      if (sqlStateOf(error) !== lockNotAvailable) throw await asRefused(dataSource, error);
      if (tries >= lockTriesMax) throw new TableBusyError(tries);
      await pause(lockPauseMs);
    }
  }
}

/** Leaves in the database what a later start must see. Where the database is away, nothing was refused. */
async function asRefused(dataSource: DataSource, error: unknown): Promise<unknown> {
  const { kind, sqlState } = toDatabaseError('migrate', error);
  if (kind !== 'failed') return error;
  const [migration] = await pendingMigrations(dataSource);
  if (migration === undefined) return error;
  const reason = objectMessage(error) ?? `SQLSTATE ${sqlState ?? 'unknown'}; the log of Postgres says more`;
  // A role that may create no table hears it from the migration itself, at each start.
  await recordStop(dataSource, { migration, reason }).catch(() => undefined);
  return new MigrationRefusedError(migration, reason, { cause: error });
}

/**
 * Brings the schema up to date. Concurrent calls, also from other processes, wait for each other.
 * @returns the names of the migrations that ran
 * @throws {MigrationBusyError | TableBusyError | MigrationRefusedError}
 */
export async function runMigrations(dataSource: DataSource): Promise<string[]> {
  return whileMigrating(dataSource, () => runPending(dataSource));
}

/**
 * As a start wants it: an empty database is set up; where others are migrating just now, they are waited for. Anything
 * else is left as it is, for `pendingMigrations` to tell.
 * @param onTurn called when no other process is migrating: where it throws, nothing is done
 * @returns the names of the migrations that ran
 * @throws {MigrationBusyError | TableBusyError | MigrationRefusedError | NoRightToMigrateError}
 */
export async function setUpEmpty(dataSource: DataSource, onTurn: () => void = () => undefined): Promise<string[]> {
  return whileMigrating(dataSource, async () => {
    onTurn();
    if (!(await schemaState(dataSource)).isEmpty) return [];
    await refuseWithoutRight(dataSource);
    return runPending(dataSource);
  });
}
