import type { Database, SqlStatement } from '../database.js';

const statement: SqlStatement = {
  name: 'inspect_size',
  text: `
SELECT pg_database_size(current_database())::float8 AS "databaseBytes",
  (SELECT setting FROM pg_settings WHERE name = 'data_directory') AS "dataFolder",
  (SELECT max(age(datfrozenxid)) FROM pg_database) AS "oldestTransactionAge"`,
};

export interface InspectedSize {
  readonly databaseBytes: number;
  /** Null where our user may not know it. */
  readonly dataFolder: string | null;
  /** Transactions since the oldest one that is not frozen; at two billion Postgres refuses to go on. */
  readonly oldestTransactionAge: number;
}

export async function inspectSize(database: Database): Promise<InspectedSize> {
  const { rows } = await database.execute<InspectedSize>(statement);
  const [row] = rows;
  if (row === undefined) throw new Error('the server did not tell its size');
  return row;
}
