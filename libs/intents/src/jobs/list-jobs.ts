import type { Database, SqlStatement } from '#platform';

import type { Job, JobKindName } from './job.js';
import { jobColumns } from './job.js';

/** Jobs of a kind that are shown, the newest first. */
export const jobsMax = 200;

const statement: SqlStatement = {
  name: 'list_jobs',
  text: `SELECT ${jobColumns} FROM job WHERE kind = $1 ORDER BY created_at DESC, job_id LIMIT ${jobsMax}`,
};

export async function listJobs(database: Database, kind: JobKindName): Promise<Job[]> {
  return (await database.execute<Job>(statement, [kind])).rows;
}
