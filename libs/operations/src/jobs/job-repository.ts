import { Injectable } from '@nestjs/common';

import type { JobView, MoneyView } from '#contracts';
import type { JsonValue } from '#intents/core';
import { canonicalJson } from '#intents/core';
import type { ActingRole, AuditContext } from '#intents';
import { isFenced, recordAction, timestamp } from '#intents';
import type { SqlSession, SqlStatement } from '#platform';
import { Database } from '#platform';

import { isOfPrograms } from '../access/operator.js';

/** Kinds of stored work on many records. */
export type JobKindName = JobView['kind'];

/** `planned`: a dry run, until it is started. `stopped`: by its canary. */
export type JobState = 'planned' | 'waiting' | 'running' | 'paused' | 'stopped' | 'done' | 'failed' | 'cancelled';

/** What a job has frozen when it was made. It changes until it is planned, and then never. */
export interface JobSelection {
  readonly items: number;
  /** Null: of records that were set aside. */
  readonly members: number | null;
  /** At stake, by currency. */
  readonly money: readonly MoneyView[];
  readonly byForecast: Readonly<Record<string, number>>;
  /** What else is to be said of it; nothing personal. */
  readonly notes?: readonly string[];
  /** Of records that would be set aside again: by which rules, the most first. */
  readonly refusedBy?: readonly { readonly rule: string; readonly records: number }[];
}

/** How fast a job goes, and how carefully. */
export interface JobPace {
  /** At most; null: as its kind has it. */
  readonly ratePerSecond: number | null;
  /** One, then ten, then the rest; stops by itself when they fail again. */
  readonly isCanary: boolean;
}

/** What came of a job's items, or calls, since its canary began. */
export interface CanaryState {
  /** Items up to this ordinal were begun before. */
  readonly from: number;
  readonly settled: number;
  readonly failed: number;
}

/** Lines that one job may leave, at most. */
export const jobLinesMax = 100_000;

/** A request that takes long: stored, so that it survives restarts. */
export interface Job extends JobPace {
  readonly jobId: string;
  readonly kind: JobKindName;
  readonly program: string | null;
  /** As it was asked for; its kind knows the shape. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly reason: string;
  readonly state: JobState;
  /** Where it continues; null at its beginning. Its kind knows the shape. */
  readonly cursor: unknown;
  readonly progress: Readonly<Record<string, number>>;
  /** What came of it, at its end. */
  readonly report: unknown;
  /** Null: its kind freezes nothing. */
  readonly selection: JobSelection | null;
  /** What its canary judges by. */
  readonly canary: CanaryState;
  /** Its items by state; null while they move: they are to be counted. */
  readonly counts: Readonly<Record<string, number>> | null;
  /** Why it failed, or why its canary stopped it. */
  readonly error: string | null;
  /** Turns in a row that failed. */
  readonly failures: number;
  /** How many lines it has left. */
  readonly lines: number;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly createdBy: string;
  /** What starting, resuming or cancelling it takes: the role of who made it, or the higher one of who started it. */
  readonly needsRole: ActingRole;
  /** Who had it begun, when and why; null of a dry run that was not started. */
  readonly startedAt: number | null;
  readonly startedBy: string | null;
  readonly startReason: string | null;
  readonly finishedAt: number | null;
}

/** SQL: the columns of a `Job`. */
const jobColumns = `job_id AS "jobId", kind, program_id AS program, request, reason, state, cursor, progress, report,
  rate_per_second AS "ratePerSecond", is_canary AS "isCanary", canary, selection, counts, error, failures, lines,
  created_at AS "createdAt", created_by AS "createdBy", COALESCE(needs_role, 'admin') AS "needsRole",
  started_at AS "startedAt", started_by AS "startedBy", start_reason AS "startReason", finished_at AS "finishedAt"`;

export interface NewJob {
  /** The caller's own id: asking for the same again with it changes nothing. */
  readonly jobId: string;
  readonly kind: JobKindName;
  readonly program: string | null;
  /** Nothing secret; what is personal only as an identifier that other tables hold, too. */
  readonly request: Readonly<Record<string, unknown>>;
  /** What it is by the time the job is over, where that is another one: whom it names was erased. */
  readonly requestAfterwards?: Readonly<Record<string, unknown>>;
  /** What of it the audit shows; nothing personal. */
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly audit: AuditContext;
  /** In which role it is asked for; absent: to start, resume or cancel it takes an admin. */
  readonly role?: ActingRole;
  readonly pace?: JobPace;
  /** Nothing is done until it is started. */
  readonly isPlan?: boolean;
  /** Likewise, and its plan takes turns: it is planned once one of them says so (`isPlanned`). */
  readonly isTried?: boolean;
  /** Written with it, or not at all; what it freezes is kept with the job. Throwing undoes it. */
  readonly freeze?: (session: SqlSession, jobId: string) => Promise<JobSelection>;
}

const insertStatement: SqlStatement = {
  name: 'insert_job',
  text: `
INSERT INTO job (job_id, kind, program_id, request, reason, state, created_at, created_by, needs_role,
  rate_per_second, is_canary, started_at, started_by, start_reason)
SELECT $1::text, $2::text, $3::text, $4::jsonb, $5::text, $6::text, $7::timestamptz, $8::text, $9::text, $10::float8, $11::boolean,
  CASE WHEN $12::boolean THEN NULL ELSE $7::timestamptz END, CASE WHEN $12::boolean THEN NULL ELSE $8 END,
  CASE WHEN $12::boolean THEN NULL ELSE $5 END
WHERE NOT EXISTS (SELECT FROM job_gone WHERE job_id = $1)
ON CONFLICT (job_id) DO NOTHING
RETURNING ${jobColumns}`,
};

const selectionStatement: SqlStatement = {
  name: 'keep_job_selection',
  text: `UPDATE job SET selection = $2::jsonb WHERE job_id = $1 RETURNING ${jobColumns}`,
};

const knownStatement: SqlStatement = { name: 'known_job', text: `SELECT ${jobColumns} FROM job WHERE job_id = $1` };

const ownPace: JobPace = { ratePerSecond: null, isCanary: false };

async function insert(session: SqlSession, asked: NewJob): Promise<Job | undefined> {
  const { jobId, kind, program, request, audit, role = null, pace = ownPace, isTried = false, freeze } = asked;
  const isPlan = asked.isPlan === true;
  const { rows } = await session.query<Job>(insertStatement, [
    jobId,
    kind,
    program,
    JSON.stringify(request),
    audit.reason,
    isPlan && !isTried ? 'planned' : 'waiting',
    timestamp(audit.at),
    audit.actor,
    role,
    pace.ratePerSecond,
    pace.isCanary,
    isPlan,
  ]);
  if (rows[0] === undefined || freeze === undefined) return rows[0];
  return keepSelection(session, jobId, await freeze(session, jobId));
}

/** What is known of what it has frozen. */
export async function keepSelection(
  session: SqlSession,
  jobId: string,
  selection: JobSelection,
): Promise<Job | undefined> {
  return (await session.query<Job>(selectionStatement, [jobId, JSON.stringify(selection)])).rows[0];
}

async function create(session: SqlSession, asked: NewJob): Promise<Job> {
  const { jobId, kind, program, detail, audit, isPlan = false } = asked;
  const made = await insert(session, asked);
  if (made !== undefined) {
    const frozen = made.selection === null ? {} : { items: made.selection.items };
    const shown = { job: jobId, program, ...detail, ...frozen };
    await recordAction(session, { audit, action: `${kind}.${isPlan ? 'plan' : 'start'}`, place: null, detail: shown });
    return made;
  }
  const [known] = (await session.query<Job>(knownStatement, [jobId])).rows;
  if (known === undefined || !isSameRequest(known, asked)) throw new JobIdTakenError(known ?? null);
  return known;
}

/** An id that names another job, or named one, is refused: an erasure that was never made would be reported as done. */
export class JobIdTakenError extends Error {
  override readonly name = 'JobIdTakenError';

  /** @param known null: it has left by retention */
  constructor(readonly known: Job | null) {
    super('the id belongs to a job that was asked for otherwise');
  }
}

/** As it is stored: what is undefined is not, and keys come back in another order. Why it was asked for may differ. */
function isSameRequest(
  known: Job,
  {
    kind,
    program,
    request,
    requestAfterwards = request,
  }: Pick<NewJob, 'kind' | 'program' | 'request' | 'requestAfterwards'>,
): boolean {
  if (known.kind !== kind || known.program !== program) return false;
  const stands = canonicalJson(known.request as JsonValue);
  return [request, requestAfterwards].some((asked) => canonicalJson(asked as JsonValue) === stands);
}

/** Jobs that are shown, the newest first. */
const jobsMax = 200;

const listJobsStatement: SqlStatement = {
  name: 'list_jobs',
  text: `
SELECT ${jobColumns} FROM job WHERE kind = ANY ($1::text[]) AND ${isOfPrograms('$2')}
ORDER BY created_at DESC, job_id LIMIT ${jobsMax}`,
};

interface JobQuery {
  readonly kinds: readonly JobKindName[];
  /** Only jobs of these, and of no others besides; null: all. */
  readonly programs: readonly string[] | null;
}

/** Open jobs that are shown, the newest first. */
const openJobsMax = 50;

const listOpenJobsStatement: SqlStatement = {
  name: 'list_open_jobs',
  text: `
SELECT ${jobColumns} FROM job WHERE state IN ('waiting', 'running', 'paused', 'stopped')
ORDER BY created_at DESC, job_id LIMIT ${openJobsMax}`,
};

const listJobLinesStatement: SqlStatement = {
  name: 'list_job_lines',
  text: `
SELECT ordinal, data FROM job_line WHERE job_id = $1 AND ordinal > $2::int ORDER BY ordinal LIMIT $3::int`,
};

interface JobLine {
  readonly ordinal: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What failed, or was stopped, may be resumed, too: it continues where it was. */
export type JobSteering = 'pause' | 'resume' | 'cancel';

const from: Readonly<Record<JobSteering, readonly JobState[]>> = {
  pause: ['waiting', 'running'],
  resume: ['paused', 'stopped', 'failed'],
  cancel: ['planned', 'waiting', 'running', 'paused', 'stopped', 'failed'],
};

const to: Readonly<Record<JobSteering, JobState>> = { pause: 'paused', resume: 'waiting', cancel: 'cancelled' };

/** SQL: of a canary that stopped the job and begins anew: behind what was begun. */
const newCanary = `jsonb_build_object('settled', 0, 'failed', 0, 'from',
    (SELECT COALESCE(max(ordinal), 0) FROM job_item i WHERE i.job_id = job.job_id AND i.state <> 'waiting'))`;

const steerJobStatement: SqlStatement = {
  name: 'steer_job',
  text: `
UPDATE job SET state = $2, owner = NULL, leased_until = NULL, due_at = NULL, failures = 0, counts = NULL,
  canary = CASE WHEN state = 'stopped' AND $2 = 'waiting' THEN ${newCanary} ELSE canary END,
  error = CASE WHEN state = 'stopped' THEN NULL ELSE error END,
  finished_at = CASE WHEN $2 = 'cancelled' THEN $4::timestamptz END
WHERE job_id = $1 AND state = ANY ($3::text[]) AND ($5::boolean OR needs_role = 'operator')
  AND NOT (kind = 'schedule' AND state = 'running' AND COALESCE(cursor ? 'begunAt', false))
RETURNING ${jobColumns}`,
};

const skipStatement: SqlStatement = {
  name: 'skip_job_items',
  text: `UPDATE job_item SET state = 'skipped' WHERE job_id = $1 AND state = 'waiting'`,
};

interface JobSteered {
  readonly job: Pick<Job, 'jobId' | 'kind' | 'program'>;
  readonly steering: JobSteering;
  readonly audit: AuditContext;
  /** Of who says so: all but a pause may take an admin. */
  readonly role: ActingRole;
}

interface JobStart {
  readonly jobId: string;
  /** Null: as the dry run has it. */
  readonly ratePerSecond: number | null;
  readonly isCanary: boolean | null;
  /** From now on all that it does is done in this name. */
  readonly audit: AuditContext;
  readonly role: ActingRole;
}

const startJobStatement: SqlStatement = {
  name: 'start_job',
  text: `
UPDATE job SET state = 'waiting', rate_per_second = COALESCE($2::float8, rate_per_second),
  is_canary = COALESCE($3::boolean, is_canary), started_at = $4::timestamptz, started_by = $5, start_reason = $6,
  needs_role = $7, owner = NULL, leased_until = NULL, counts = NULL
WHERE job_id = $1 AND state = 'planned' AND ($7 = 'admin' OR needs_role = 'operator')
RETURNING ${jobColumns}`,
};

/** One turn after the other: a process that is to stop waits for one of them, not for several. */
const jobsLeasedMax = 1;
/** What a lease lasts where its kind does not say. */
export const jobLeaseMs = 60_000;

const leaseJobsStatement: SqlStatement = {
  name: 'lease_jobs',
  text: `
UPDATE job SET owner = $1::uuid, leased_until = $3::timestamptz, state = 'running'
WHERE job_id IN (
  SELECT job_id FROM job
  WHERE state IN ('waiting', 'running') AND kind = ANY ($4::text[]) AND (due_at IS NULL OR due_at <= $2::timestamptz)
    AND (owner IS NULL OR owner = $1::uuid OR leased_until < $2::timestamptz) AND NOT ${isFenced}
  ORDER BY due_at NULLS FIRST, created_at, job_id LIMIT ${jobsLeasedMax} FOR UPDATE SKIP LOCKED)
RETURNING ${jobColumns}`,
};

interface JobLease {
  readonly owner: string;
  readonly kinds: readonly JobKindName[];
  readonly now: number;
  /** A process that is gone loses its jobs after so long; a turn takes less. */
  readonly leaseMs?: number;
}

/** How far a turn has brought a job. */
export interface JobTurn {
  /** Both absent: its kind keeps them itself. */
  readonly cursor?: unknown;
  readonly progress?: Readonly<Record<string, number>>;
  /** What it found in this turn. */
  readonly lines?: readonly Readonly<Record<string, unknown>>[];
  /** Given where it is done: what came of all of it. */
  readonly report?: unknown;
  readonly isDone: boolean;
  /** Its plan is whole: nothing more is done until it is started. */
  readonly isPlanned?: boolean;
  /** How many items, or calls, it has begun: what a rate counts; absent: none. */
  readonly begun?: number;
  /** Whether a call has failed: what a canary counts of a job without items; absent: none was made. */
  readonly hasFailed?: boolean;
  /** Given where its canary stops it: why. */
  readonly stoppedBecause?: string;
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

interface JobSave {
  readonly jobId: string;
  readonly owner: string;
  readonly now: number;
  readonly turn: JobTurn;
}

const saveStatement: SqlStatement = {
  name: 'save_job',
  text: `
UPDATE job SET cursor = COALESCE($3::jsonb, cursor), progress = COALESCE($4::jsonb, progress), report = $5::jsonb,
  failures = 0, error = $10, lines = lines + $6::int, canary = CASE WHEN $11::int IS NULL THEN canary ELSE canary ||
    jsonb_build_object('settled', (canary->>'settled')::int + 1, 'failed', (canary->>'failed')::int + $11::int) END,
  state = $7, finished_at = CASE WHEN $7 = 'done' THEN $8::timestamptz END, due_at = $9::timestamptz,
  owner = CASE WHEN $7 = 'running' THEN owner END, leased_until = CASE WHEN $7 = 'running' THEN leased_until END
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

const keepProgressStatement: SqlStatement = {
  name: 'keep_job_progress',
  text: `
UPDATE job SET cursor = $3::jsonb, progress = $4::jsonb, lines = lines + $5::int
WHERE job_id = $1 AND state = 'running' AND cursor = $2::jsonb AND lines + $5::int <= ${jobLinesMax}
RETURNING lines - $5::int AS before`,
};

interface JobStep {
  readonly jobId: string;
  /** Where it stood. */
  readonly before: unknown;
  readonly cursor: unknown;
  readonly progress: Readonly<Record<string, number>>;
  readonly lines: JobFindings['lines'];
}

/**
 * Keeps how far a running job is within the transaction of what it did: where that stands, it stands, too.
 * @returns false where it was stopped meanwhile, or another process is further
 */
export async function keepProgress(session: SqlSession, step: JobStep): Promise<boolean> {
  const { jobId, before, cursor, progress, lines } = step;
  const parameters = [jobId, JSON.stringify(before), JSON.stringify(cursor), JSON.stringify(progress), lines.length];
  const [kept] = (await session.query<{ before: number }>(keepProgressStatement, parameters)).rows;
  if (kept === undefined) return false;
  await insertLines(session, { jobId, before: kept.before, lines });
  return true;
}

function stateAfter({ isDone, isPlanned, stoppedBecause }: JobTurn): JobState {
  if (stoppedBecause !== undefined) return 'stopped';
  if (isPlanned === true) return 'planned';
  return isDone ? 'done' : 'running';
}

async function save(session: SqlSession, { jobId, owner, now, turn }: JobSave): Promise<boolean> {
  const { cursor, progress, lines = [], report, hasFailed, alongside, findings } = turn;
  const { rows } = await session.query<{ before: number }>(saveStatement, [
    jobId,
    owner,
    jsonOrNull(cursor),
    jsonOrNull(progress),
    jsonOrNull(report),
    lines.length,
    stateAfter(turn),
    timestamp(now),
    timestamp(turn.againAt ?? now),
    turn.stoppedBecause ?? null,
    hasFailed === undefined ? null : Number(hasFailed),
  ]);
  const [saved] = rows;
  if (saved === undefined) return false;
  await insertLines(session, { jobId, before: saved.before, lines });
  await alongside?.(session);
  if (findings !== undefined) await saveFindings(session, jobId, await findings(session));
  return true;
}

/** Turns in a row that may fail before a job is given up. With the pause between them: about a quarter of an hour. */
export const jobFailuresMax = 30;
/** How long after a turn that failed the next one is made. */
export const jobRetryMs = 30_000;

const failJobStatement: SqlStatement = {
  name: 'fail_job',
  text: `
UPDATE job SET failures = failures + 1, error = $3, due_at = $6::timestamptz,
  state = CASE WHEN $4::boolean OR failures + 1 >= ${jobFailuresMax} THEN 'failed' ELSE state END,
  finished_at = CASE WHEN $4::boolean OR failures + 1 >= ${jobFailuresMax} THEN $5::timestamptz END
WHERE job_id = $1 AND owner = $2::uuid AND state = 'running'`,
};

/** Jobs, as they are stored. */
@Injectable()
export class JobRepository {
  constructor(private readonly database: Database) {}

  /**
   * Stores a request with its audit entry. With a known id nothing is changed: what is known is returned.
   * @throws {JobIdTakenError} where what is known was asked for otherwise
   */
  async create(job: NewJob): Promise<Job> {
    return this.database.transaction('create_job', (session) => create(session, job));
  }

  /** Null where there is none of that id. */
  async find(jobId: string): Promise<Job | null> {
    return (await this.database.execute<Job>(knownStatement, [jobId])).rows[0] ?? null;
  }

  async list({ kinds, programs }: JobQuery): Promise<Job[]> {
    return (await this.database.execute<Job>(listJobsStatement, [kinds, programs])).rows;
  }

  /** Those that run, or would continue if they were resumed. */
  async listOpen(): Promise<Job[]> {
    return (await this.database.execute<Job>(listOpenJobsStatement)).rows;
  }

  /** What a job found, after the given line (0 to begin). */
  async lines(query: { readonly jobId: string; readonly after: number; readonly limit: number }): Promise<JobLine[]> {
    return (await this.database.execute<JobLine>(listJobLinesStatement, [query.jobId, query.after, query.limit])).rows;
  }

  /**
   * Steers a job for an operator; null where its state does not allow it, or the role does not. Finished work stays done,
   * and what was sent stays sent. A scheduling whose call is under way comes to its end first: what the partner answers
   * would be lost.
   */
  async steer({ job, steering, audit, role }: JobSteered): Promise<Job | null> {
    const mayAlways = steering === 'pause' || role === 'admin';
    return this.database.transaction('steer_job', async (session) => {
      const parameters = [job.jobId, to[steering], from[steering], timestamp(audit.at), mayAlways];
      const [steered] = (await session.query<Job>(steerJobStatement, parameters)).rows;
      if (steered === undefined) return null;
      if (steering === 'cancel') await session.query(skipStatement, [job.jobId]);
      const detail = { job: job.jobId, program: job.program };
      await recordAction(session, { audit, action: `${job.kind}.${steering}`, place: null, detail });
      return steered;
    });
  }

  /** Lets a dry run begin; null where it is none, or none any more, or where this takes another role. */
  async start(request: JobStart): Promise<Job | null> {
    const { jobId, ratePerSecond, isCanary, audit, role } = request;
    return this.database.transaction('start_job', async (session) => {
      const parameters = [jobId, ratePerSecond, isCanary, timestamp(audit.at), audit.actor, audit.reason, role];
      const [job] = (await session.query<Job>(startJobStatement, parameters)).rows;
      if (job === undefined) return null;
      const detail = { job: jobId, program: job.program, ratePerSecond: job.ratePerSecond, canary: job.isCanary };
      await recordAction(session, { audit, action: `${job.kind}.start`, place: null, detail });
      return job;
    });
  }

  /** Takes, or keeps, the unfinished jobs that no other process works on and that have waited longest for a turn. */
  async lease({ owner, kinds, now, leaseMs = jobLeaseMs }: JobLease): Promise<Job[]> {
    const parameters = [owner, timestamp(now), timestamp(now + leaseMs), kinds];
    return (await this.database.execute<Job>(leaseJobsStatement, parameters)).rows;
  }

  /**
   * Keeps what a turn has brought, in one transaction.
   * @returns false where the job is no longer ours to carry on, or has left too many lines: nothing is written
   */
  async save(request: JobSave): Promise<boolean> {
    return this.database.transaction('save_job', (session) => save(session, request));
  }

  /** A turn came to nothing: another is made later, unless it is final or it was the last that is allowed. */
  async fail(failure: {
    readonly jobId: string;
    readonly owner: string;
    /** For operators; nothing personal. */
    readonly error: string;
    readonly isFinal: boolean;
    readonly now: number;
  }): Promise<void> {
    const { jobId, owner, error, isFinal, now } = failure;
    await this.database.execute(failJobStatement, [
      jobId,
      owner,
      error,
      isFinal,
      timestamp(now),
      timestamp(now + jobRetryMs),
    ]);
  }
}
