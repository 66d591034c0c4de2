import type { Clock, Database, SqlParameter, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import { eraseQuarantined } from '../erasure/erase-quarantined.js';
import { recordAction } from '../operator/operator-action.js';
import type { RetentionPolicy } from './retention-policy.js';
import { dayMs } from './retention-policy.js';
import { retireStatement } from './retire-intents.js';

/** Pages of the table looked through in one statement: 8 MiB. */
const pagesMax = 1_000;

const sizeStatement: SqlStatement = {
  name: 'measure_dedup',
  text: `SELECT pg_relation_size('dedup') / current_setting('block_size')::bigint AS pages`,
};

/** No intent has left that was recorded behind this day, which has one to spare; null: none has left at all. */
const lastGoneStatement: SqlStatement = {
  name: 'find_last_gone',
  isRead: true,
  text: `SELECT (max(ended_before)::date + 1)::text AS day FROM lane_start`,
};

/**
 * Marks go with the identities under whose keys they stand. An intent is looked for only where it may have left: half of a run
 * was looks into the index that found it.
 */
const forgetStatement: SqlStatement = {
  name: 'forget_identities',
  text: `
WITH forgotten AS (
  DELETE FROM dedup d
  WHERE d.ctid >= format('(%s,0)', $2::bigint)::tid AND d.ctid < format('(%s,0)', $3::bigint)::tid
    AND d.seen_on < ($1::timestamptz)::date
    AND (d.seq IS NULL
      OR d.seen_on <= $5::date AND NOT EXISTS (SELECT FROM intent i WHERE i.lane_id = d.lane_id AND i.seq = d.seq)
      OR $4::boolean AND (d.lane_id, d.seq) IN (
        SELECT s.lane_id, s.seq FROM intent_standing s WHERE s.status = 'cancelled' AND s.recorded_at < $1::timestamptz))
  RETURNING d.key
), marks AS (
  DELETE FROM cancel_mark m USING forgotten f WHERE m.key = f.key
)
SELECT count(*)::int AS gone FROM forgotten`,
};

interface Forgotten {
  /** Epoch ms: first seen on a day before. */
  readonly before: number;
  /** Also where the intent is still there, but cancelled: it leaves afterwards. */
  readonly withCancelled: boolean;
}

/** Forgets identities that were seen before a day and of which no intent is left. @returns how many */
export async function forgetIdentities(
  database: Database,
  { before, withCancelled }: Forgotten,
  signal?: AbortSignal,
): Promise<number> {
  const pages = (await database.execute<{ pages: number }>(sizeStatement)).rows[0]?.pages ?? 0;
  const lastGone = (await database.execute<{ day: string | null }>(lastGoneStatement)).rows[0]?.day ?? null;
  let forgotten = 0;
  for (let page = 0; page < pages && signal?.aborted !== true; page += pagesMax) {
    const parameters = [timestamp(before), page, page + pagesMax, withCancelled, lastGone];
    forgotten += await database.transaction('forget_identities', async (session) => {
      await session.query(retireStatement);
      return (await session.query<{ gone: number }>(forgetStatement, parameters)).rows[0]?.gone ?? 0;
    });
  }
  return forgotten;
}

const anonymousMax = 5_000;

const anonymousStatement: SqlStatement = {
  name: 'forget_anonymous_receipts',
  text: `
DELETE FROM anonymous_receipt WHERE key IN (
  SELECT key FROM anonymous_receipt WHERE forget_on < ($1::timestamptz)::date LIMIT ${anonymousMax})`,
};

/** Forgets sales without a card, each when its program says so. @returns how many */
export async function forgetAnonymous(database: Database, now: number, signal?: AbortSignal): Promise<number> {
  const parameters = [timestamp(now)];
  return dropInSteps(database, { statement: anonymousStatement, parameters, max: anonymousMax }, signal);
}

const erasedMax = 5_000;

/** Nothing recognises their ids any more; by the transaction no producer can have named somebody so. The row stays, for what is parked in its lane. */
const erasedStatement: SqlStatement = {
  name: 'forget_erased_members',
  text: `
UPDATE member SET member_id = 'erased.' || lane_id || '.' || pg_current_xact_id(), nameless_since = NULL
WHERE nameless_since < $1::timestamptz AND lane_id IN (
  SELECT lane_id FROM member WHERE nameless_since < $1::timestamptz LIMIT ${erasedMax})`,
};

/** Forgets by what members were recognised who were erased before. @returns how many */
export async function forgetErased(database: Database, before: number, signal?: AbortSignal): Promise<number> {
  const parameters = [timestamp(before)];
  return dropInSteps(database, { statement: erasedStatement, parameters, max: erasedMax }, signal);
}

/** What people dealt with and is gone now. */
export interface DealtWith {
  readonly quarantined: number;
  readonly jobs: number;
}

interface DropTools {
  readonly database: Database;
  readonly clock: Pick<Clock, 'now'>;
  readonly signal?: AbortSignal;
}

/** Drops what people dealt with long enough ago, and what became of what they asked for. */
export async function dropDealtWith(
  { database, clock, signal }: DropTools,
  { quarantineDays, jobDays, hasDeadLetters }: RetentionPolicy,
): Promise<DealtWith> {
  const now = clock.now();
  const settled = { before: now - quarantineDays * dayMs, hasDeadLetters };
  const quarantined = quarantineDays > 0 ? await dropQuarantined(database, settled, signal) : 0;
  if (jobDays === 0) return { quarantined, jobs: 0 };
  const before = now - jobDays * dayMs;
  const jobs = await dropJobs(database, before, signal);
  await cancelForgottenPlans(database, { createdBefore: before, now }, signal);
  return { quarantined, jobs };
}

const unmappedMax = 100;

/** Where nobody can tell whom a record is about, for its map or its format refused it. */
const unmappedStatement: SqlStatement = {
  name: 'find_unmapped',
  isRead: true,
  text: `
SELECT quarantine_id AS id FROM quarantine
WHERE person_macs IS NOT NULL AND recorded_at < $1::timestamptz AND reason IN ('unreadable', 'oversized', 'invalid')
ORDER BY recorded_at LIMIT ${unmappedMax}`,
};

/**
 * Takes the bytes out of records that were set aside before they were mapped, whoever has dealt with them or not: they may be of
 * anybody, and an erasure may not find them. That each was there stays, and where. @returns how many
 */
export async function clearUnmapped(
  { database, clock, signal }: DropTools,
  { unmappedDays }: Pick<RetentionPolicy, 'unmappedDays'>,
): Promise<number> {
  const at = clock.now();
  const before = timestamp(at - unmappedDays * dayMs);
  const reason = `set aside before it was mapped, ${unmappedDays} days ago`;
  const audit = { at, actor: 'loyaltyd', address: null, reason };
  for (let cleared = 0; ;) {
    const ids = await database.transaction('clear_unmapped', async (session) => {
      const { rows } = await session.query<{ id: number }>(unmappedStatement, [before]);
      const due = rows.map(({ id }) => id);
      await eraseQuarantined(session, { ids: due, audit }, null);
      return due;
    });
    cleared += ids.length;
    if (ids.length < unmappedMax || signal?.aborted === true) return cleared;
  }
}

const quarantinedMax = 1_000;

/**
 * What nobody has dealt with stays, and so does what the dead-letter topic has not got yet; where there is no such topic, a
 * dead letter that waits in vain goes with its record.
 */
const quarantinedStatement: SqlStatement = {
  name: 'drop_quarantined',
  text: `
WITH expiring AS MATERIALIZED (
  SELECT q.quarantine_id FROM quarantine q JOIN quarantine_settlement s USING (quarantine_id)
  WHERE q.state <> 'open' AND s.at < $1::timestamptz
    AND NOT ($2 AND EXISTS (SELECT FROM dead_letter_outbox o WHERE o.quarantine_id = q.quarantine_id))
  ORDER BY q.quarantine_id LIMIT ${quarantinedMax}
), unsent AS (
  DELETE FROM dead_letter_outbox WHERE quarantine_id IN (SELECT quarantine_id FROM expiring)
)
DELETE FROM quarantine WHERE quarantine_id IN (SELECT quarantine_id FROM expiring)`,
};

/** Drops records that somebody dealt with before. @returns how many */
async function dropQuarantined(
  database: Database,
  settled: { readonly before: number; readonly hasDeadLetters: boolean },
  signal: AbortSignal | undefined,
): Promise<number> {
  const parameters = [timestamp(settled.before), settled.hasDeadLetters];
  return dropInSteps(database, { statement: quarantinedStatement, parameters, max: quarantinedMax }, signal);
}

const linesMax = 5_000;
const jobsMax = 500;

/** Of what was sent item by item, once it is counted: nothing of it moves any more. */
const isJobOver = `(j.selection IS NULL OR j.counts IS NOT NULL) AND j.state IN ('done', 'failed', 'cancelled') AND j.finished_at < $1::timestamptz`;

const linesStatement: SqlStatement = {
  name: 'drop_job_lines',
  text: `
DELETE FROM job_line WHERE (job_id, ordinal) IN (
  SELECT l.job_id, l.ordinal FROM job j JOIN job_line l USING (job_id) WHERE ${isJobOver} LIMIT ${linesMax})`,
};

const itemsStatement: SqlStatement = {
  name: 'drop_job_items',
  text: `
DELETE FROM job_item WHERE (job_id, ordinal) IN (
  SELECT i.job_id, i.ordinal FROM job j JOIN job_item i USING (job_id) WHERE ${isJobOver} LIMIT ${linesMax})`,
};

/** Not before what a reconciliation has seen is cleared away, which begins at its job. Its id stays taken. */
const jobsStatement: SqlStatement = {
  name: 'drop_jobs',
  text: `
WITH gone AS (
  DELETE FROM job WHERE job_id IN (
    SELECT j.job_id FROM job j
    WHERE ${isJobOver} AND NOT EXISTS (SELECT FROM job_line l WHERE l.job_id = j.job_id)
      AND NOT EXISTS (SELECT FROM job_item i WHERE i.job_id = j.job_id)
      AND NOT EXISTS (SELECT FROM reconciliation r WHERE r.job_id = j.job_id)
    LIMIT ${jobsMax})
  RETURNING job_id)
INSERT INTO job_gone (job_id) SELECT job_id FROM gone`,
};

/** Drops jobs that were over before, their items, and what they found. @returns how many jobs */
async function dropJobs(database: Database, over: number, signal: AbortSignal | undefined): Promise<number> {
  const parameters = [timestamp(over)];
  await dropInSteps(database, { statement: linesStatement, parameters, max: linesMax }, signal);
  await dropInSteps(database, { statement: itemsStatement, parameters, max: linesMax }, signal);
  return dropInSteps(database, { statement: jobsStatement, parameters, max: jobsMax }, signal);
}

/** In one run; the rest another day. */
const plansMax = 500;

const findPlansStatement: SqlStatement = {
  name: 'find_forgotten_plans',
  isRead: true,
  text: `
SELECT job_id AS "jobId", program_id AS program FROM job WHERE state = 'planned' AND created_at < $1::timestamptz
ORDER BY created_at LIMIT ${plansMax}`,
};

/** Unless somebody has started it, or cancelled it, meanwhile. */
const cancelPlanStatement: SqlStatement = {
  name: 'cancel_forgotten_plan',
  text: `
WITH cancelled AS (
  UPDATE job SET state = 'cancelled', counts = NULL, leased_until = NULL, finished_at = $2::timestamptz
  WHERE job_id = $1 AND state = 'planned' RETURNING job_id)
UPDATE job_item SET state = 'skipped'
WHERE state = 'waiting' AND job_id IN (SELECT job_id FROM cancelled)`,
};

const reason = 'planned long ago, and never started';

/** Cancels dry runs that nobody has started: what they name is held until then. */
async function cancelForgottenPlans(
  database: Database,
  { createdBefore, now }: { readonly createdBefore: number; readonly now: number },
  signal: AbortSignal | undefined,
): Promise<void> {
  const audit = { at: now, actor: 'loyaltyd', address: null, reason };
  const { rows } = await database.execute<{ jobId: string; program: string | null }>(findPlansStatement, [
    timestamp(createdBefore),
  ]);
  for (const { jobId, program } of rows) {
    if (signal?.aborted === true) return;
    await database.transaction('cancel_forgotten_plan', async (session) => {
      const { rowCount } = await session.query(cancelPlanStatement, [jobId, timestamp(now)]);
      const detail = { job: jobId, program };
      if (rowCount > 0) await recordAction(session, { audit, action: 'replay.cancel', place: null, detail });
    });
  }
}

/** A statement that drops some of what is to leave; one that comes back with fewer than `max` has left nothing. */
interface DropStep {
  readonly statement: SqlStatement;
  readonly parameters: readonly SqlParameter[];
  readonly max: number;
}

/** Drops a little at a time. @returns how many */
async function dropInSteps(
  database: Database,
  { statement, parameters, max }: DropStep,
  signal: AbortSignal | undefined,
): Promise<number> {
  for (let dropped = 0; ;) {
    const { rowCount } = await database.execute(statement, parameters);
    dropped += rowCount;
    if (rowCount < max || signal?.aborted === true) return dropped;
  }
}
