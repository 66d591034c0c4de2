import pg from 'pg';

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

/** How one statement was executed, once. */
export interface StatementPlan {
  /** As `pg_stat_statements.queryid`; the same in every database that was cloned from the same template. */
  readonly queryId: string;
  readonly ms: number;
  /** As `EXPLAIN (ANALYZE, BUFFERS, WAL)` prints it. */
  readonly text: string;
}

/** What the server must be started with: the plans come by its log, and this one can be read by a statement. */
export const planSettings = ['logging_collector=on', 'log_destination=jsonlog', 'log_rotation_size=0'];

/** Every execution would cost too much: what is timed in every node is no longer what is measured. */
const share = 0.2;

/** `EXPLAIN (ANALYZE, BUFFERS, WAL)` without asking: of what the program really sent, in the state it met. */
const explainSettings: Readonly<Record<string, string>> = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.sample_rate': `${share}`,
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_wal': 'on',
  'auto_explain.log_parameter_max_length': '0',
};

/** Of all sessions of that database that begin from now on. */
export const explainStatements = async (client: pg.Client, database: string): Promise<void> => {
  for (const [name, value] of Object.entries(explainSettings)) {
    await client.query(`ALTER DATABASE ${pg.escapeIdentifier(database)} SET ${name} = ${pg.escapeLiteral(value)}`);
  }
};

/** `duration: 4.5 ms  plan:`, the text of the query, which may have many lines, and the plan, whose root has its costs. */
const message = /^duration: (?<ms>[\d.]+) ms {2}plan:\nQuery Text: [^]*?\n(?<plan>\S[^\n]*\(cost=[^]*)$/;

/** A number of 64 bits: JSON.parse would round it. */
const queryIdIn = /"query_id":(?<queryId>-?\d+)/;

/** One line of the log; null where it tells of something else. */
export const parseLogLine = (line: string, database: string): StatementPlan | null => {
  if (!line.includes('plan:\\nQuery Text:')) return null;
  const entry = JSON.parse(line) as { dbname: string; message: string };
  const found = message.exec(entry.message);
  const queryId = queryIdIn.exec(line);
  if (entry.dbname !== database || found === null || queryId === null) return null;
  const { ms, plan = '' } = found.groups ?? {};
  return { queryId: `${queryId[1]}`, ms: Number(ms), text: plan.trimEnd() };
};

const middleOf = (plans: readonly StatementPlan[]): StatementPlan[] =>
  plans
    .toSorted((one, other) => one.ms - other.ms)
    .slice(Math.floor(plans.length / 2), Math.floor(plans.length / 2) + 1);

/** Of each statement of that database the execution of middle length. None where the server writes no such log. */
export const readPlans = async (client: pg.Client, database: string): Promise<StatementPlan[]> => {
  const { rows } = await client.query<{ log: string | null }>(
    `SELECT pg_read_file(file) AS log FROM pg_current_logfile('jsonlog') AS file WHERE file IS NOT NULL`,
  );
  const plans = (rows[0]?.log ?? '').split('\n').flatMap((line) => parseLogLine(line, database) ?? []);
  return [...Map.groupBy(plans, ({ queryId }) => queryId).values()].flatMap(middleOf);
};
