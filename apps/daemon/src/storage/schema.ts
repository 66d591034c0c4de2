import type { Logger, PostgresConnection, SchemaState, StoppedMigration } from '#platform';
import { SafeError } from '#platform';

import { unlessStopped } from '../lifecycle/waiting.js';

/** The schema is older than what this program needs. */
export class SchemaBehindError extends SafeError {
  override readonly name = 'SchemaBehindError';

  constructor(
    readonly missing: readonly string[],
    readonly stopped: StoppedMigration | null = null,
  ) {
    const why = stopped === null ? '' : `; the last try stopped at ${stopped.migration}: ${stopped.reason}`;
    super(`the database schema lacks ${missing.join(', ')}${why}; run \`loyaltyd migrate\``);
  }
}

/** A newer program has changed the schema so that this one cannot work with it any more. */
export class SchemaAheadError extends SafeError {
  override readonly name = 'SchemaAheadError';

  constructor(readonly outgrown: readonly string[]) {
    super(
      `a newer release has migrated this database, and what it did leaves this release behind: ${outgrown.join(', ')}; ` +
        'run a release that knows them. Migrations only go forward',
    );
  }
}

/** The database is of a build before the first release's schema. */
export class SchemaOfEarlierBuildError extends SafeError {
  override readonly name = 'SchemaOfEarlierBuildError';

  constructor() {
    super('an earlier build has made this database, from which nothing leads to this release: give it an empty one');
  }
}

/** @throws {SchemaOfEarlierBuildError | SchemaAheadError} */
export function refuseForeign({ earlier, outgrown }: SchemaState): void {
  if (earlier.length > 0) throw new SchemaOfEarlierBuildError();
  if (outgrown.length > 0) throw new SchemaAheadError(outgrown);
}

/**
 * For a command that works on a database once: it sets nothing up and waits for no other process.
 * @throws {SchemaOfEarlierBuildError | SchemaBehindError | SchemaAheadError}
 */
export async function requireSchema(connection: PostgresConnection): Promise<void> {
  const state = await connection.schemaState();
  refuseForeign(state);
  const { pending, stopped } = state;
  if (pending.length > 0) throw new SchemaBehindError(pending, stopped);
}

/** Waiting for one's turn may be left; the work itself may not: half a schema is no empty one, and no later start completes it. */
async function setUpInTurn(connection: PostgresConnection, stopping: AbortSignal): Promise<readonly string[]> {
  const turn = Promise.withResolvers<undefined>();
  const migrations = connection.setUpEmpty(() => {
    stopping.throwIfAborted();
    turn.resolve(undefined);
  });
  await unlessStopped(Promise.race([turn.promise, migrations]), stopping);
  return migrations;
}

/**
 * An empty database is set up; one that has a schema is changed by `loyaltyd migrate` only. Who is migrating just now is
 * waited for.
 * @throws {SchemaOfEarlierBuildError | SchemaBehindError | SchemaAheadError | MigrationBusyError | TableBusyError |
 * MigrationRefusedError | StoppedError}
 */
export async function ensureSchema(
  connection: PostgresConnection,
  logger: Logger,
  stopping: AbortSignal,
): Promise<void> {
  const first = await unlessStopped(connection.schemaState(), stopping);
  refuseForeign(first);
  if (first.unknown.length > 0) logger.info({ migrations: first.unknown }, 'the schema is newer than this release');
  if (first.pending.length === 0) return;
  const migrations = await setUpInTurn(connection, stopping);
  if (migrations.length > 0) logger.info({ migrations }, 'the empty database was set up');
  const { pending, stopped } = await connection.schemaState();
  if (pending.length > 0) throw new SchemaBehindError(pending, stopped);
}
