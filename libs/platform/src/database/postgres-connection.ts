import type { Socket } from 'node:net';
import type { DataSource } from 'typeorm';

import { createDataSource, type DataSourceSettings } from './data-source.js';
import type { Database } from './database.js';
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

/** What node-postgres keeps of its connections, and shows nobody. */
interface PoolInside {
  readonly _clients: readonly { readonly connection: { readonly stream: Socket } }[];
}

async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
}

/** A pool of connections to one database, with its schema's migrations. */
export class PostgresConnection {
  readonly database: Database;
  private readonly dataSource: DataSource;
  /** The pool forgets a connection when it says goodbye, not when the server has answered that. */
  private leaving: readonly Socket[] = [];

  /** Connects nothing yet. */
  constructor(private readonly settings: DataSourceSettings) {
    this.dataSource = createDataSource(settings);
    this.database = new TypeormDatabase(this.dataSource);
  }

  /** @throws the driver's error when the server does not answer; may be called again */
  async connect(): Promise<void> {
    await this.dataSource.initialize();
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
   * @param onTurn told when nobody else is: where it throws, nothing is done
   * @returns the names of the migrations that ran
   * @throws {MigrationBusyError | TableBusyError}
   */
  async setUpEmpty(onTurn?: () => void): Promise<string[]> {
    return setUpEmpty(this.dataSource, onTurn);
  }

  /**
   * Resolves when every connection is gone; harmless when there is none. What is under way is waited for, on a frozen
   * server for ever: see `abandon`.
   */
  async close(): Promise<void> {
    if (!this.dataSource.isInitialized) return;
    this.leaving = this.sockets();
    await this.dataSource.destroy();
    await Promise.all(this.leaving.map(closed));
  }

  /** Breaks every connection, those included that `close` waits for, whatever is under way on it. */
  abandon(): void {
    for (const socket of [...this.leaving, ...this.sockets()]) socket.destroy();
  }

  private sockets(): Socket[] {
    const { master } = this.dataSource.driver as unknown as { readonly master?: PoolInside };
    return (master?._clients ?? []).map(({ connection }) => connection.stream);
  }
}
