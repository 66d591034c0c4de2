import type { Database, SqlStatement } from './database.js';

const statement: SqlStatement = { name: 'set_read_only', text: 'SET TRANSACTION READ ONLY' };

/** The same database, on which nothing can be changed: Postgres refuses what would. */
export function readOnlyDatabase(database: Database): Database {
  const transaction: Database['transaction'] = (name, work) =>
    database.transaction(name, async (session) => {
      await session.query(statement);
      return work(session);
    });
  return {
    transaction,
    execute: (asked, parameters) => transaction(asked.name, (session) => session.query(asked, parameters)),
  };
}
