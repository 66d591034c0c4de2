import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

/** Turns in a row that may fail before a job is given up. With the pause between them: about a quarter of an hour. */
export const jobFailuresMax = 30;

const statement: SqlStatement = {
  name: 'fail_job',
  text: `
UPDATE job SET failures = failures + 1, error = $3,
  state = CASE WHEN $4::boolean OR failures + 1 >= ${jobFailuresMax} THEN 'failed' ELSE state END,
  finished_at = CASE WHEN $4::boolean OR failures + 1 >= ${jobFailuresMax} THEN $5::timestamptz END
WHERE job_id = $1 AND owner = $2::uuid AND state = 'running'`,
};

/** A turn came to nothing: another is made later, unless it is final or it was the last that is allowed. */
export async function failJob(
  database: Database,
  failure: {
    readonly jobId: string;
    readonly owner: string;
    /** For operators; nothing personal. */
    readonly error: string;
    readonly isFinal: boolean;
    readonly now: number;
  },
): Promise<void> {
  const { jobId, owner, error, isFinal, now } = failure;
  await database.execute(statement, [jobId, owner, error, isFinal, timestamp(now)]);
}
