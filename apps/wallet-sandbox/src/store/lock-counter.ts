import type { SqlSession } from '#platform';
import { statement } from './statement.js';

const lockCounterStatement = statement(
  'lock_counter',
  `SELECT last_id AS "lastId", last_seq AS "lastSeq", catalogue_version AS "catalogueVersion"
   FROM wallet_sandbox.counter FOR UPDATE`,
);

export interface Counter {
  readonly lastId: number;
  readonly lastSeq: number;
  /** Rises with every change of the catalogue and with every reset. */
  readonly catalogueVersion: number;
}

/**
 * Takes the one row that every writer takes first and keeps until it commits: effects of all processes on this
 * database happen one batch after another, and the ledger's `seq` is dense and rises in commit order.
 */
export async function lockCounter(session: SqlSession): Promise<Counter> {
  const { rows } = await session.query<Counter>(lockCounterStatement);
  const counter = rows[0];
  if (counter === undefined) throw new Error('wallet_sandbox.counter is empty');
  return counter;
}
