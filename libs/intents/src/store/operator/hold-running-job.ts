import type { SqlSession, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'hold_running_job',
  text: `SELECT FROM job WHERE job_id = $1 AND state = 'running' FOR SHARE`,
};

/** False where somebody has stopped the job. Otherwise it stays as it is until the transaction ends. */
export async function holdRunningJob(session: SqlSession, jobId: string): Promise<boolean> {
  return (await session.query(statement, [jobId])).rowCount > 0;
}
