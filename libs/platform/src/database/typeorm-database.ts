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

async function run<Row extends object>(
  client: Queryable,
  statement: SqlStatement,
  parameters: readonly SqlParameter[],
): Promise<SqlResult<Row>> {
  const result = await named(statement.name, () =>
    client.query<Row>({
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
    const runner = this.dataSource.createQueryRunner();
    try {
      const client = (await named(name, () => runner.connect())) as pg.Client;
      return await transact(client, name, work);
    } finally {
      await runner.release();
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
async function transact<T>(client: pg.Client, name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
  sendTogether(client);
  const begun = named(name, () => client.query('BEGIN'));
  // Whoever fails to hear of it by a statement hears of it before the commit.
  begun.catch(() => undefined);
  let isOrdinary = false;
  const query: SqlSession['query'] = async (statement, parameters = []) => {
    isOrdinary ||= statement.isRead !== true;
    if (isOrdinary) await begun;
    if (statement.mayTakeLong === true) await liftLimits(client, statement.name);
    sendTogether(client);
    return run(client, statement, parameters);
  };
  try {
    const value = await work({ query });
    await begun;
    await named(name, () => commit(client));
    return value;
  } catch (error) {
    // A broken connection cannot roll back either; the server does it when the socket closes.
    await client.query('ROLLBACK').catch(() => undefined);
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
  await named(operation, () => client.query('SET LOCAL statement_timeout = 0'));
}

/** The server answers COMMIT with ROLLBACK, not with an error, when a statement of the transaction has failed. */
async function commit(client: pg.Client): Promise<void> {
  const { command } = await client.query('COMMIT');
  if (command !== 'COMMIT') throw new TypeError('the transaction was rolled back: one of its statements had failed');
}
