import type pg from 'pg';

/** What one statement cost the server, all its executions together (`pg_stat_statements`). */
export interface StatementCost {
  readonly queryId: string;
  /** On one line, cut. */
  readonly text: string;
  readonly calls: number;
  readonly planMs: number;
  readonly executeMs: number;
  readonly walBytes: number;
  /** Pages found in shared buffers, and asked of the system. */
  readonly pagesHit: number;
  readonly pagesRead: number;
}

/** What the server must be started with; planning is not followed by default. */
export const statementSettings = [
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.track_planning=on',
];

const statementsMax = 12;
const charactersMax = 100;

export const forgetStatements = async (client: pg.Client): Promise<void> => {
  await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  await client.query('SELECT pg_stat_statements_reset()');
};

/** Of one database since the last reset, the dearest first. */
export const readStatements = async (client: pg.Client, database: string): Promise<StatementCost[]> => {
  const { rows } = await client.query<StatementCost>(
    `SELECT s.queryid::text AS "queryId", left(regexp_replace(query, '\\s+', ' ', 'g'), ${charactersMax}) AS text, calls::float8 AS calls,
       total_plan_time AS "planMs", total_exec_time AS "executeMs", wal_bytes::float8 AS "walBytes",
       shared_blks_hit::float8 AS "pagesHit", shared_blks_read::float8 AS "pagesRead"
     FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
     WHERE d.datname = $1 ORDER BY total_plan_time + total_exec_time DESC LIMIT ${statementsMax}`,
    [database],
  );
  return rows;
};
