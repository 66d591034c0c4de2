import type { Duplex } from 'node:stream';
import type pg from 'pg';

import { SafeError } from '../errors.js';
import { createDataSource, type DataSourceSettings, type PooledDataSource, sessionMark } from './data-source.js';
import type { Database, SqlStatement } from './database.js';
import {
  pendingMigrations,
  planMigrations,
  runMigrations,
  schemaState,
  setUpEmpty,
  type PlannedMigration,
  type SchemaState,
} from './migrations/run-migrations.js';
import { TypeormDatabase } from './typeorm-database.js';

async function closed(socket: Duplex): Promise<void> {
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
}

/** The settings that our connections ask for do not hold: a pooler between here and Postgres leaves them out. */
export class SharedSessionsError extends SafeError {
  override readonly name = 'SharedSessionsError';
  readonly code = 'SHARED_SESSIONS';

  constructor(cause?: unknown) {
    super(
      'a pooler between here and Postgres leaves out or refuses the settings of our sessions; statements are prepared and locks held in ' +
        'them, too: connect to Postgres itself',
      { cause },
    );
  }
}

const markStatement: SqlStatement = {
  name: 'read_session_mark',
  text: 'SELECT current_setting($1, true) AS mark',
};

interface NotificationHandlers {
  readonly heard: (payload: string) => void;
  /** The connection is gone, and not by us. */
  readonly ended: () => void;
}

/** A pool of connections to one database, with its schema's migrations. */
export class PostgresConnection {
  readonly database: Database;
  private readonly dataSource: PooledDataSource;

  /** Connects nothing yet. */
  constructor(private readonly settings: DataSourceSettings) {
    this.dataSource = createDataSource(settings);
    this.database = new TypeormDatabase(this.dataSource);
  }

  /** @throws the driver's error when the server does not answer; may be called again */
  async connect(): Promise<void> {
    await this.dataSource.initialize();
  }

  /**
   * A pooler may be told to ignore what it does not know (PgBouncer: `ignore_startup_parameters`): a setting that is ours alone
   * is missing then. The role or the database may have the others all the same. @throws {SharedSessionsError}
   */
  async requireOwnSessions(): Promise<void> {
    const { rows } = await this.database.execute<{ mark: string | null }>(markStatement, [sessionMark.name]);
    if (rows[0]?.mark !== sessionMark.value) throw new SharedSessionsError();
  }

  /** Names of the migrations that the database has not seen yet, in order. */
  async pendingMigrations(): Promise<string[]> {
    return pendingMigrations(this.dataSource);
  }

  /** How the schema stands to the migrations of this program. */
  async schemaState(): Promise<SchemaState> {
    return schemaState(this.dataSource);
  }

  /** What `runMigrations` would do, and to how much. Changes nothing. */
  async planMigrations(): Promise<PlannedMigration[]> {
    return planMigrations(this.dataSource, this.settings.migrations);
  }

  /**
   * Brings the schema up to date. @returns the names of the migrations that ran
   * @throws {MigrationBusyError | TableBusyError}
   */
  async runMigrations(): Promise<string[]> {
    return runMigrations(this.dataSource);
  }

  /**
   * Sets up an empty database; where others are migrating, waits for them.
   * @param onTurn called when no other process is: where it throws, nothing is done
   * @returns the names of the migrations that ran
   * @throws {MigrationBusyError | TableBusyError}
   */
  async setUpEmpty(onTurn?: () => void): Promise<string[]> {
    return setUpEmpty(this.dataSource, onTurn);
  }

  /**
   * Takes a connection out of the pool and hears what is notified on a channel.
   * @returns gives the connection up; nothing is heard any more
   */
  async listen(channel: string, { heard, ended }: NotificationHandlers): Promise<() => void> {
    const client = await this.dataSource.pool.connect();
    const onNotification = ({ payload = '' }: pg.Notification): void => {
      heard(payload);
    };
    let isOurs = true;
    const close = (): void => {
      if (!isOurs) return;
      isOurs = false;
      client.off('end', onEnd).off('notification', onNotification);
      client.release(true);
    };
    const onEnd = (): void => {
      close();
      ended();
    };
    client.on('notification', onNotification).once('end', onEnd);
    try {
      await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      close();
      throw error;
    }
    return close;
  }

  /**
   * Resolves when every connection is gone; harmless when there is none. What is under way is waited for, on a frozen
   * server for ever: see `abandon`.
   */
  async close(): Promise<void> {
    if (!this.dataSource.isInitialized) return;
    await this.dataSource.destroy();
    // The pool forgets a connection when it says goodbye, not when the server has answered that.
    await Promise.all(this.sockets().map(closed));
  }

  /** Breaks every connection, those included that `close` waits for, whatever is under way on it. */
  abandon(): void {
    for (const socket of this.sockets()) socket.destroy();
  }

  private sockets(): Duplex[] {
    return [...this.dataSource.clients].map(({ connection }) => connection.stream);
  }
}
