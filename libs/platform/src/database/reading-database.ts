import { AsyncLocalStorage } from 'node:async_hooks';

import { SafeError } from '../errors.js';
import { DatabaseError } from './database-error.js';
import type { SqlParameter, SqlResult, SqlSession, SqlStatement } from './database.js';
import { Database } from './database.js';

/** All connections for reading were taken for as long as one waits for one. */
export class ReadersBusyError extends SafeError {
  override readonly name = 'ReadersBusyError';

  constructor() {
    super('all database connections for reading are taken');
  }
}

const reading = new AsyncLocalStorage<boolean>();

/** What the work, and whatever it begins, asks of a `SharedDatabase` goes to the readers' connections. */
export function asReader<T>(work: () => T): T {
  return reading.run(true, work);
}

/** For what is done once for everybody, whoever has asked first. */
export function asNoReader<T>(work: () => T): T {
  return reading.run(false, work);
}

/** What node-postgres' pool says when none of its connections came free in time. */
const poolTimeout = 'timeout exceeded when trying to connect';

function isPoolTimeout(error: unknown): boolean {
  return error instanceof DatabaseError && error.cause instanceof Error && error.cause.message === poolTimeout;
}

/**
 * The database on the few connections that readers have among them: when they are taken, readers wait for one another, and nobody else
 * does. A failure on one of them says nothing of the others.
 */
export abstract class ReadingDatabase extends Database {}

/** @see ReadingDatabase */
export class PooledReadingDatabase extends ReadingDatabase {
  constructor(private readonly pooled: Database) {
    super();
  }

  transaction<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.told(() => this.pooled.transaction(name, work));
  }

  execute<Row extends object>(statement: SqlStatement, parameters?: readonly SqlParameter[]): Promise<SqlResult<Row>> {
    return this.told(() => this.pooled.execute<Row>(statement, parameters));
  }

  private async told<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw isPoolTimeout(error) ? new ReadersBusyError() : error;
    }
  }
}

/**
 * One database for all repositories: what is asked `asReader` goes to the readers' connections, everything else to our own. Whoever
 * writes a repository need not know which of them its caller is.
 */
export class SharedDatabase extends Database {
  constructor(
    private readonly own: Database,
    private readonly readers: ReadingDatabase,
  ) {
    super();
  }

  transaction<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.current.transaction(name, work);
  }

  execute<Row extends object>(statement: SqlStatement, parameters?: readonly SqlParameter[]): Promise<SqlResult<Row>> {
    return this.current.execute<Row>(statement, parameters);
  }

  private get current(): Database {
    return reading.getStore() === true ? this.readers : this.own;
  }
}
