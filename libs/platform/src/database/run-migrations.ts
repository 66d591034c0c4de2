import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';

import { ToldError } from '../errors/told-error.js';
import { objectMessage, sqlStateOf, toDatabaseError } from './database-error.js';
import { forgetStop, recordStop, schemaState } from './schema-state.js';

/** One migrating process at a time; the others wait here. Any fixed number would do. */
const migrationLock = 7_226_409_114;
/** How long a process waits while another one migrates. */
export const migrationWaitMsMax = 600_000;
/** How often those that wait ask whether it has ended. */
const lockAskMs = 250;
/** How often a migration asks for the locks of its tables, and the pause in which others get theirs. */
const lockTriesMax = 60;
const lockPauseMs = 1_000;
/** Postgres gave up waiting for a lock (`lock_timeout`). */
const lockNotAvailable = '55P03';

/** Another process has been migrating for longer than anybody waits. */
export class MigrationBusyError extends ToldError {
  override readonly name = 'MigrationBusyError';

  constructor(waitedMs: number) {
    super(
      `another process has been migrating this database for ${Math.round(waitedMs / 1_000)} s; ` +
        'look at pg_stat_activity for what it waits for',
    );
  }
}

/** A table's lock could not be had: some transaction keeps it. */
export class TableBusyError extends ToldError {
  override readonly name = 'TableBusyError';

  constructor(tries: number) {
    super(
      `a migration got no lock on its tables in ${tries} tries; nothing of it was kept. ` +
        'A transaction has been open for long: see pg_stat_activity, end it, and migrate again',
    );
  }
}

/** Postgres refused a migration; nothing of it was kept, all before it was. */
export class MigrationRefusedError extends ToldError {
  override readonly name = 'MigrationRefusedError';

  constructor(migration: string, reason: string, options: ErrorOptions) {
    super(`migration ${migration} was refused: ${reason}`, options);
  }
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
export async function whileMigrating<T>(
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

/** What a process that starts later is to be told is left in the database. Where that is away, nothing was refused. */
async function asRefused(dataSource: DataSource, error: unknown): Promise<unknown> {
  const { kind, sqlState } = toDatabaseError('migrate', error);
  if (kind !== 'failed') return error;
  const [migration] = await pendingMigrations(dataSource);
  if (migration === undefined) return error;
  const reason = objectMessage(error) ?? `SQLSTATE ${sqlState ?? 'unknown'}; the log of Postgres says more`;
  // Who may create no table at all is told by the migration itself, at each start.
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
 * @param onTurn told when nobody else is migrating: where it throws, nothing is done
 * @returns the names of the migrations that ran
 * @throws {MigrationBusyError | TableBusyError | MigrationRefusedError}
 */
export async function setUpEmpty(dataSource: DataSource, onTurn: () => void = () => undefined): Promise<string[]> {
  return whileMigrating(dataSource, async () => {
    onTurn();
    return (await schemaState(dataSource)).isEmpty ? runPending(dataSource) : [];
  });
}
