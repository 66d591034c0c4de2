import type { Clock, Database, PostgresConnection, SchemaState } from '#platform';
import { readDatabaseClock, readOnlyDatabase } from '#platform';

import type { Examination, Step } from '../examination.js';
import type { Finding } from '../finding.js';
import { failed, ok, warning } from '../finding.js';
import { readMs } from '../limits.js';
import { nameList } from '../name-list.js';

const name = 'postgres.schema';

/** Our tables, in which nothing can be changed. */
export interface Store {
  readonly database: Database;
  /** The time of the database, which is that of everything in it, whatever this machine's clock says. Epoch ms. */
  readonly now: () => number;
}

/** How the schema stands to the program. */
export function judgeSchema({ isEmpty, pending, unknown, outgrown, stopped }: SchemaState): Finding {
  if (isEmpty) {
    const remedy =
      '`loyaltyd start` or `loyaltyd migrate` sets it up. If it should hold data: DATABASE_URL leads to another database.';
    return warning(name, { detail: 'the database is empty', remedy });
  }
  if (pending.length > 0) {
    const why = stopped === null ? '' : `; the last try stopped at ${stopped.migration}: ${stopped.reason}`;
    const detail = `it lacks ${nameList(pending)}${why}`;
    const remedy = 'Run `loyaltyd migrate` with this release; `--plan` only says what it would do.';
    return failed(name, { detail, remedy });
  }
  if (outgrown.length > 0) {
    const detail = `it has ${nameList(outgrown)}, beside which this release cannot work`;
    return failed(name, { detail, remedy: 'A newer release has been here: run that one. Migrations only go forward.' });
  }
  if (unknown.length > 0) {
    return ok(name, `up to date; a newer release has added ${nameList(unknown)}, with which this one works, too`);
  }
  return ok(name, 'up to date');
}

async function openStore({ database }: PostgresConnection, clock: Clock): Promise<Store> {
  const { databaseMs, readAt } = await readDatabaseClock(clock, database);
  return { database: readOnlyDatabase(database), now: () => Math.round(databaseMs + clock.monotonic() - readAt) };
}

/** The migrations. Builds our tables where the schema is whole. */
export function checkSchema(examination: Examination, connection: Step<PostgresConnection>, clock: Clock): Step<Store> {
  const remedy = 'Something holds a lock on schema_migration: see pg_stat_activity.';
  return examination.after(connection, { name, timeoutMs: readMs, remedy }, async (reached) => {
    const state = await reached.schemaState();
    const isWhole = !state.isEmpty && state.pending.length === 0 && state.outgrown.length === 0;
    return { findings: [judgeSchema(state)], value: isWhole ? await openStore(reached, clock) : null };
  });
}
