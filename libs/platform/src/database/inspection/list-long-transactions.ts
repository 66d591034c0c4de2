import type { Database, SqlStatement } from '../database.js';

const longTransactionsMax = 5;

/** Only these hold back our rows: transactions of this database, open or prepared, and senders of a standby's feedback. */
const statement: SqlStatement = {
  name: 'list_long_transactions',
  text: `
SELECT name, application, state, "openForMs" FROM (
  SELECT 'pid ' || pid AS name, COALESCE(application_name, '') AS application, COALESCE(state, 'unknown') AS state,
    (extract(epoch FROM clock_timestamp() - xact_start) * 1000)::float8 AS "openForMs"
  FROM pg_stat_activity
  WHERE pid <> pg_backend_pid() AND (datname = current_database() OR backend_type = 'walsender')
    AND backend_type IS DISTINCT FROM 'autovacuum worker' AND xact_start IS NOT NULL
  UNION ALL
  SELECT 'prepared transaction ' || gid, '', 'prepared',
    (extract(epoch FROM clock_timestamp() - prepared) * 1000)::float8
  FROM pg_prepared_xacts WHERE database = current_database()) t
WHERE "openForMs" >= $1::float8
ORDER BY "openForMs" DESC LIMIT ${longTransactionsMax}`,
};

/** A transaction that keeps dead rows from being cleaned up. */
export interface LongTransaction {
  /** `pid 4711`, or `prepared transaction GID`. */
  readonly name: string;
  /** What the client calls itself. */
  readonly application: string;
  readonly state: string;
  readonly openForMs: number;
}

/** The longest open ones first. Those of other users are seen with the rights of `pg_read_all_stats` only. */
export async function listLongTransactions(
  database: Database,
  openForMsMin: number,
): Promise<readonly LongTransaction[]> {
  return (await database.execute<LongTransaction>(statement, [openForMsMin])).rows;
}
