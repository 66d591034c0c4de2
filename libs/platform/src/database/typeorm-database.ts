import type pg from 'pg';
import { liftLimit, limitAgain } from './answer-limit.js';
import { encodeParameter } from './array-parameters.js';
import { columnParsers, type PooledDataSource } from './data-source.js';
import { DatabaseError, toDatabaseError } from './database-error.js';
import type { Database, SqlParameter, SqlResult, SqlSession, SqlStatement } from './database.js';

/** Deadlocks and serialization failures are repeated at once, at most so many times in all. */
export const transactionAttemptsMax = 5;

/** Most often another server has taken over: a new connection finds it, this one would stay with the old. */
const takesNoWrites = '25006';

type Queryable = Pick<pg.Client, 'query'>;

/**
 * With a callback, and a promise of ours: each promise that the driver makes keeps the queries after it, with all their
 * parameters and rows, until the next full collection once it has grown old itself (docs/decisions/0015-what-makes-it-fast.md).
 */
function ask<Row extends object>(client: Queryable, query: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
  return new Promise((resolve, reject) => {
    client.query<Row>(query, (error: Error | null | undefined, result) => {
      if (error) reject(error);
      else resolve(result);
    });
  });
}

async function run<Row extends object>(
  client: Queryable,
  statement: SqlStatement,
  parameters: readonly SqlParameter[],
): Promise<SqlResult<Row>> {
  const result = await named(statement.name, () =>
    ask<Row>(client, {
      name: statement.name,
      text: statement.text,
      values: parameters.map(encodeParameter),
      types: columnParsers,
    }),
  );
  return { rows: result.rows, rowCount: result.rowCount ?? 0 };
}

/** Gives the driver's error the operation's name; errors of the caller's own `work` pass through untouched. */
async function named<T>(operation: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toDatabaseError(operation, error);
  }
}

async function repeatContention<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      const isContention = error instanceof DatabaseError && error.kind === 'contention';
      if (!isContention || attempts >= transactionAttemptsMax) throw error;
    }
  }
}

/** The database port on TypeORM's pool and transactions, with node-postgres' named prepared statements. */
export class TypeormDatabase implements Database {
  constructor(private readonly dataSource: PooledDataSource) {}

  async transaction<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    return repeatContention(() => this.transactOnce(name, work));
  }

  async execute<Row extends object>(
    statement: SqlStatement,
    parameters: readonly SqlParameter[] = [],
  ): Promise<SqlResult<Row>> {
    return repeatContention(() => run<Row>(this.dataSource.pool, statement, parameters));
  }

  private async transactOnce<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    const client = await named(name, () => this.dataSource.pool.connect());
    try {
      return await transact(client, name, work);
    } finally {
      client.release();
    }
  }
}

/** What is sent until the process has nothing else to do at once leaves in one packet: the server wakes once for it. */
function sendTogether(client: pg.Client): void {
  const { stream } = client.connection;
  stream.cork();
  process.nextTick(() => {
    stream.uncork();
  });
}

/** BEGIN travels with the first statements; nothing but a read is sent before the server has answered it. */
class OpenTransaction implements SqlSession {
  private readonly begun: Promise<unknown>;
  private isOrdinary = false;
  private hasFailed = false;
  /** Statements that have been called and wait for something before they are sent. */
  private unsent = 0;
  private ending: Promise<void> | null = null;

  constructor(
    private readonly client: pg.Client,
    private readonly name: string,
  ) {
    sendTogether(client);
    this.begun = named(name, () => ask(client, { text: 'BEGIN' }));
    // A session whose statement did not report it learns of it before the commit.
    this.begun.catch(() => undefined);
  }

  async query<Row extends object>(
    statement: SqlStatement,
    parameters: readonly SqlParameter[] = [],
  ): Promise<SqlResult<Row>> {
    const { client } = this;
    if (this.ending !== null) throw new TypeError('the transaction has been ended');
    try {
      await this.maySend(statement);
      sendTogether(client);
      return await run<Row>(client, statement, parameters);
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
  }

  private async maySend(statement: SqlStatement): Promise<void> {
    this.isOrdinary ||= statement.isRead !== true;
    this.unsent += 1;
    try {
      if (this.isOrdinary) await this.begun;
      if (statement.mayTakeLong === true) await liftLimits(this.client, statement.name);
    } finally {
      this.unsent -= 1;
    }
  }

  commitUnless(hasFailed: () => boolean): void {
    this.ending = this.commitBehind(hasFailed);
    this.ending.catch(() => undefined);
  }

  /** All statements have been answered. */
  async commit(): Promise<void> {
    await this.begun;
    await (this.ending ?? named(this.name, () => commit(this.client)));
  }

  /** A broken connection cannot roll back either; the server does it when the socket closes. */
  async rollBack(): Promise<void> {
    // Where COMMIT has been sent behind a statement that failed, the server has rolled back by itself.
    await this.ending?.catch(() => undefined);
    await ask(this.client, { text: 'ROLLBACK' }).catch(() => undefined);
  }

  /**
   * All that was called waits for the same answer, and is sent as soon as that is there, COMMIT in the same packet. What cannot
   * be sent (a parameter that cannot be encoded, say) is known by then: what was sent without it must not be committed.
   */
  private async commitBehind(hasFailed: () => boolean): Promise<void> {
    await this.begun;
    const { stream } = this.client.connection;
    let committed: Promise<void>;
    stream.cork();
    try {
      // Whatever can go on at once has gone on before that.
      await new Promise<void>((resolve) => {
        process.nextTick(resolve);
      });
      if (this.unsent > 0 || this.hasFailed || hasFailed()) throw new TypeError('what was to be committed has failed');
      committed = named(this.name, () => commit(this.client));
    } finally {
      stream.uncork();
    }
    await committed;
  }
}

async function transact<T>(client: pg.Client, name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
  const transaction = new OpenTransaction(client, name);
  const session: SqlSession = {
    query: (statement, parameters) => transaction.query(statement, parameters),
    commitUnless: (hasFailed) => {
      transaction.commitUnless(hasFailed);
    },
  };
  try {
    const value = await work(session);
    await transaction.commit();
    return value;
  } catch (error) {
    await transaction.rollBack();
    if (error instanceof DatabaseError && error.sqlState === takesNoWrites) await drop(client);
    throw error;
  } finally {
    limitAgain(client);
  }
}

/** Resolves when the pool has heard of it, too: it would hand the connection over once more. */
async function drop(client: pg.Client): Promise<void> {
  const { stream: socket } = client.connection;
  if (socket.closed) return;
  const ended = new Promise((resolve) => client.once('end', resolve));
  socket.destroy();
  await ended;
}

/** For the rest of the transaction. */
async function liftLimits(client: pg.Client, operation: string): Promise<void> {
  liftLimit(client);
  await named(operation, () => ask(client, { text: 'SET LOCAL statement_timeout = 0' }));
}

/** The server answers COMMIT with ROLLBACK, not with an error, when a statement of the transaction has failed. */
async function commit(client: pg.Client): Promise<void> {
  const { command } = await ask(client, { text: 'COMMIT' });
  if (command !== 'COMMIT') throw new TypeError('the transaction was rolled back: one of its statements had failed');
}
