import type { Database, SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import { jobLinesMax } from './job.js';

/** How far a turn has brought a job. */
export interface JobTurn {
  readonly cursor: unknown;
  readonly progress: Readonly<Record<string, number>>;
  /** What it found in this turn. */
  readonly lines?: readonly Readonly<Record<string, unknown>>[];
  /** Given where it is done: what came of all of it. */
  readonly report?: unknown;
  readonly isDone: boolean;
  /** Written with it, or not at all. Throwing undoes the turn. */
  readonly alongside?: (session: SqlSession) => Promise<void>;
}

export interface JobSave {
  readonly jobId: string;
  readonly owner: string;
  readonly now: number;
  readonly turn: JobTurn;
}

const saveStatement: SqlStatement = {
  name: 'save_job',
  text: `
UPDATE job SET cursor = $3::jsonb, progress = $4::jsonb, report = $5::jsonb, failures = 0, lines = lines + $6::int,
  state = CASE WHEN $7::boolean THEN 'done' ELSE state END,
  finished_at = CASE WHEN $7::boolean THEN $8::timestamptz END,
  owner = CASE WHEN $7::boolean THEN NULL ELSE owner END
WHERE job_id = $1 AND owner = $2::uuid AND state = 'running' AND lines + $6::int <= ${jobLinesMax}
RETURNING lines - $6::int AS before`,
};

const linesStatement: SqlStatement = {
  name: 'insert_job_lines',
  text: `
INSERT INTO job_line (job_id, ordinal, data)
SELECT $1, $2::int + ordinality, data FROM jsonb_array_elements($3::jsonb) WITH ORDINALITY AS l (data, ordinality)`,
};

const jsonOrNull = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

async function save(session: SqlSession, { jobId, owner, now, turn }: JobSave): Promise<boolean> {
  const { cursor, progress, lines = [], report, isDone, alongside } = turn;
  const { rows } = await session.query<{ before: number }>(saveStatement, [
    jobId,
    owner,
    JSON.stringify(cursor),
    JSON.stringify(progress),
    jsonOrNull(report),
    lines.length,
    isDone,
    timestamp(now),
  ]);
  const [saved] = rows;
  if (saved === undefined) return false;
  if (lines.length > 0) await session.query(linesStatement, [jobId, saved.before, JSON.stringify(lines)]);
  await alongside?.(session);
  return true;
}

/**
 * Keeps what a turn has brought, in one transaction.
 * @returns false where the job is no longer ours to carry on, or has left too many lines: nothing is written
 */
export async function saveJob(database: Database, request: JobSave): Promise<boolean> {
  return database.transaction('save_job', (session) => save(session, request));
}
