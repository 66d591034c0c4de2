import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { Job, JobKindName } from './job.js';
import { jobColumns } from './job.js';

/** Jobs that one process works on at once. */
export const jobsLeasedMax = 2;
/** A process that is gone loses its jobs after so long; a turn takes less. */
export const jobLeaseMs = 60_000;

const statement: SqlStatement = {
  name: 'lease_jobs',
  text: `
UPDATE job SET owner = $1::uuid, leased_until = $3::timestamptz, state = 'running'
WHERE job_id IN (
  SELECT job_id FROM job
  WHERE state IN ('waiting', 'running') AND kind = ANY ($4::text[]) AND (owner IS NULL OR owner = $1::uuid OR leased_until < $2::timestamptz)
  ORDER BY created_at, job_id LIMIT ${jobsLeasedMax} FOR UPDATE SKIP LOCKED)
RETURNING ${jobColumns}`,
};

export interface JobLease {
  readonly owner: string;
  /** Kinds that this process can carry on. */
  readonly kinds: readonly JobKindName[];
  readonly now: number;
}

/** Takes, or keeps, the oldest unfinished jobs that nobody else works on. */
export async function leaseJobs(database: Database, { owner, kinds, now }: JobLease): Promise<Job[]> {
  const parameters = [owner, timestamp(now), timestamp(now + jobLeaseMs), kinds];
  return (await database.execute<Job>(statement, parameters)).rows;
}
