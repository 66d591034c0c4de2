import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { OperatorWord } from '../operator/operator-action.js';
import { recordAction } from '../operator/operator-action.js';
import type { Job, JobState } from './job.js';
import { jobColumns } from './job.js';

/** What failed may be resumed, too: it goes on where it was. */
export type JobSteering = 'pause' | 'resume' | 'cancel';

const from: Readonly<Record<JobSteering, readonly JobState[]>> = {
  pause: ['waiting', 'running'],
  resume: ['paused', 'failed'],
  cancel: ['waiting', 'running', 'paused', 'failed'],
};

const to: Readonly<Record<JobSteering, JobState>> = { pause: 'paused', resume: 'waiting', cancel: 'cancelled' };

const statement: SqlStatement = {
  name: 'steer_job',
  text: `
UPDATE job SET state = $2, owner = NULL, leased_until = NULL, due_at = NULL, failures = 0,
  finished_at = CASE WHEN $2 = 'cancelled' THEN $4::timestamptz END
WHERE job_id = $1 AND state = ANY ($3::text[])
RETURNING ${jobColumns}`,
};

/** A person's word on a job; null where it does not stand so that this could be done. What was done stays done. */
export async function steerJob(
  database: Database,
  request: { readonly job: Job; readonly steering: JobSteering; readonly word: OperatorWord },
): Promise<Job | null> {
  const { job, steering, word } = request;
  return database.transaction('steer_job', async (session) => {
    const parameters = [job.jobId, to[steering], from[steering], timestamp(word.at)];
    const [steered] = (await session.query<Job>(statement, parameters)).rows;
    if (steered === undefined) return null;
    const detail = { job: job.jobId };
    await recordAction(session, { word, action: `${job.kind}.${steering}`, place: null, detail });
    return steered;
  });
}
