import type { Database, SqlStatement } from '#platform';

import type { Job, JobKindName } from './job.js';
import { jobColumns } from './job.js';

const statement: SqlStatement = {
  name: 'find_job',
  text: `SELECT ${jobColumns} FROM job WHERE job_id = $1 AND kind = $2`,
};

/** Null where there is none of that kind and id. */
export async function findJob(database: Database, kind: JobKindName, jobId: string): Promise<Job | null> {
  return (await database.execute<Job>(statement, [jobId, kind])).rows[0] ?? null;
}
