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
  /** There is nothing to do before this time, epoch ms. */
  readonly againAt?: number;
  /** Written with it, or not at all. Throwing undoes the turn. */
  readonly alongside?: (session: SqlSession) => Promise<void>;
  /** Likewise, where what is written is what was found: it is added to the turn's own. */
  readonly findings?: (session: SqlSession) => Promise<JobFindings>;
}

/** What was found out while a turn was written. */
export interface JobFindings {
  /** Takes the place of the turn's. */
  readonly progress: Readonly<Record<string, number>>;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
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
UPDATE job SET cursor = $3::jsonb, progress = $4::jsonb, report = $5::jsonb, failures = 0, error = NULL,
  lines = lines + $6::int,
  state = CASE WHEN $7::boolean THEN 'done' ELSE state END,
  finished_at = CASE WHEN $7::boolean THEN $8::timestamptz END, due_at = $9::timestamptz,
  owner = CASE WHEN $7::boolean THEN NULL ELSE owner END
WHERE job_id = $1 AND owner = $2::uuid AND state = 'running' AND lines + $6::int <= ${jobLinesMax}
RETURNING lines - $6::int AS before`,
};

const findingsStatement: SqlStatement = {
  name: 'save_job_findings',
  text: 'UPDATE job SET progress = $2::jsonb, lines = lines + $3::int WHERE job_id = $1 RETURNING lines - $3::int AS before',
};

const linesStatement: SqlStatement = {
  name: 'insert_job_lines',
  text: `
INSERT INTO job_line (job_id, ordinal, data)
SELECT $1, $2::int + ordinality, data FROM jsonb_array_elements($3::jsonb) WITH ORDINALITY AS l (data, ordinality)`,
};

const jsonOrNull = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** A job's lines so far, and those that come after them. */
interface NewLines {
  readonly jobId: string;
  readonly before: number | undefined;
  readonly lines: JobFindings['lines'];
}

async function insertLines(session: SqlSession, { jobId, before = 0, lines }: NewLines): Promise<void> {
  if (lines.length > 0) await session.query(linesStatement, [jobId, before, JSON.stringify(lines)]);
}

async function saveFindings(session: SqlSession, jobId: string, { progress, lines }: JobFindings): Promise<void> {
  const parameters = [jobId, JSON.stringify(progress), lines.length];
  const { rows } = await session.query<{ before: number }>(findingsStatement, parameters);
  await insertLines(session, { jobId, before: rows[0]?.before, lines });
}

async function save(session: SqlSession, { jobId, owner, now, turn }: JobSave): Promise<boolean> {
  const { cursor, progress, lines = [], report, isDone, alongside, findings } = turn;
  const { rows } = await session.query<{ before: number }>(saveStatement, [
    jobId,
    owner,
    JSON.stringify(cursor),
    JSON.stringify(progress),
    jsonOrNull(report),
    lines.length,
    isDone,
    timestamp(now),
    timestamp(turn.againAt ?? now),
  ]);
  const [saved] = rows;
  if (saved === undefined) return false;
  await insertLines(session, { jobId, before: saved.before, lines });
  await alongside?.(session);
  if (findings !== undefined) await saveFindings(session, jobId, await findings(session));
  return true;
}

/**
 * Keeps what a turn has brought, in one transaction.
 * @returns false where the job is no longer ours to carry on, or has left too many lines: nothing is written
 */
export async function saveJob(database: Database, request: JobSave): Promise<boolean> {
  return database.transaction('save_job', (session) => save(session, request));
}
