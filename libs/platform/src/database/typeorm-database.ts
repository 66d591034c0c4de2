import type { Pool, PoolClient } from 'pg';
import type { DataSource } from 'typeorm';

import { columnParsers } from './column-parsers.js';
import { DatabaseError, toDatabaseError } from './database-error.js';
import { encodeParameter } from './encode-parameter.js';
import type { Database, SqlParameter, SqlResult, SqlSession, SqlStatement } from './database.js';

/** Deadlocks and serialization failures are repeated at once, at most so many times in all. */
export const transactionAttemptsMax = 5;

type Queryable = Pick<PoolClient, 'query'>;

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
  constructor(private readonly dataSource: DataSource) {}

  async transaction<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    return repeatContention(() => this.transactOnce(name, work));
  }

  async execute<Row extends object>(
    statement: SqlStatement,
    parameters: readonly SqlParameter[] = [],
  ): Promise<SqlResult<Row>> {
    return repeatContention(() => run<Row>(this.pool(), statement, parameters));
  }

  private pool(): Pool {
    return (this.dataSource.driver as unknown as { master: Pool }).master;
  }

  private async transactOnce<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      const client = (await named(name, () => runner.connect())) as PoolClient;
      await named(name, () => runner.startTransaction());
      const value = await work({ query: (statement, parameters = []) => run(client, statement, parameters) });
      await named(name, () => runner.commitTransaction());
      return value;
    } catch (error) {
      // A broken connection cannot roll back either; the server does it when the socket closes.
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      await runner.release();
    }
  }
}
