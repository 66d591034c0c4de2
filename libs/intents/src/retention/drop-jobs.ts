import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import { dropInSteps } from './drop-in-steps.js';

const linesMax = 5_000;
const jobsMax = 500;

const isOver = `j.state IN ('done', 'failed', 'cancelled') AND j.finished_at < $1::timestamptz`;

const linesStatement: SqlStatement = {
  name: 'drop_job_lines',
  text: `
DELETE FROM job_line WHERE (job_id, ordinal) IN (
  SELECT l.job_id, l.ordinal FROM job j JOIN job_line l USING (job_id) WHERE ${isOver} LIMIT ${linesMax})`,
};

/** Not before what a reconciliation has seen is cleared away, which begins at its job. */
const jobsStatement: SqlStatement = {
  name: 'drop_jobs',
  text: `
DELETE FROM job WHERE job_id IN (
  SELECT j.job_id FROM job j
  WHERE ${isOver} AND NOT EXISTS (SELECT FROM job_line l WHERE l.job_id = j.job_id)
    AND NOT EXISTS (SELECT FROM reconciliation r WHERE r.job_id = j.job_id)
  LIMIT ${jobsMax})`,
};

/** Drops jobs that were over before, and what they found. @returns how many jobs */
export async function dropJobs(database: Database, over: number, stillOurs: () => Promise<void>): Promise<number> {
  const parameters = [timestamp(over)];
  await dropInSteps(database, { statement: linesStatement, parameters, max: linesMax }, stillOurs);
  return dropInSteps(database, { statement: jobsStatement, parameters, max: jobsMax }, stillOurs);
}
