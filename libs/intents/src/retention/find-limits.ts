import type { Database, SqlSession, SqlStatement } from '#platform';

const positionStatement: SqlStatement = {
  name: 'find_read_position',
  text: `
SELECT LEAST((SELECT pos FROM tally_checkpoint), (SELECT min(pos) FROM projection_checkpoint WHERE pos IS NOT NULL)) AS pos`,
};

const exportStatement: SqlStatement = {
  name: 'find_open_export',
  text: `SELECT job_id AS "jobId" FROM job WHERE kind = 'export' AND state IN ('waiting', 'running', 'paused') LIMIT 1`,
};

/** The position up to which everybody who follows the events has read. */
export async function findReadPosition(database: Database): Promise<number> {
  return (await database.execute<{ pos: number | null }>(positionStatement)).rows[0]?.pos ?? 0;
}

/** What keeps every intent where it is; null: nothing. An export that is not over reads what was there when it began. */
export async function findHolder(session: Pick<SqlSession, 'query'>): Promise<string | null> {
  const [job] = (await session.query<{ jobId: string }>(exportStatement)).rows;
  return job === undefined ? null : `the export ${job.jobId} is not over`;
}
