import { Injectable } from '@nestjs/common';

import type { Operation } from '#intents/core';
import { openInLane, timestamp } from '#intents';
import type { Clock, SqlSession, SqlStatement } from '#platform';
import { Database } from '#platform';

import type { Job, JobKindName } from './job-repository.js';

/** What was to be expected of an item, by our own history, when the selection was frozen. */
type Forecast =
  | 'will-post'
  /** The partner refused it: it will do so again unless something was mended. */
  | 'was-refused'
  /** The partner refused it, and it was corrected afterwards. */
  | 'corrected-since'
  /** It may have taken effect: an operator must say first whether it did. */
  | 'needs-decision'
  /** The same, and the partner answered an attempt with a 2xx that proved nothing: it was most likely done. */
  | 'answered-yes'
  /** It was good until a certain time, which is over. */
  | 'expired'
  /** A void or revocation has taken it back: it is never sent again, also once its doubt is decided. */
  | 'voided'
  /** Its lane is blocked by an intent that is not selected: that one must be mended first. */
  | 'lane-blocked'
  | 'nothing-to-send'
  /** Its member has left: it is sent by nobody's word. */
  | 'not-a-member'
  /** Another member has absorbed its member: what is to count is told anew for that one. */
  | 'merged'
  | 'member-gone'
  /** Of a correction: it gets another content, says that already, cannot say it, or only by an admin's word. */
  | 'will-change'
  | 'nothing-changed'
  | 'cannot-be-corrected'
  | 'needs-admin'
  /** Of the partner's list: it is there, is not, may be or not, or is not there, which proves nothing. */
  | 'listed'
  | 'not-listed'
  | 'ambiguous'
  | 'unproven'
  /** Of a look at the partner: it may prove what became of it, or surely does not. */
  | 'can-prove'
  | 'proves-nothing'
  /** Of a record set aside: not tried yet, taken in, or without effect, or set aside again. */
  | 'untried'
  | 'will-be-taken'
  | 'duplicate'
  | 'ignored'
  | 'refused-again'
  /** It is a whole batch: its records are judged as they are taken in. */
  | 'record-batch'
  /** Somebody has dealt with it since. */
  | 'settled-since'
  | 'will-be-discarded';

export type JobItemState = 'waiting' | 'sent' | 'done' | 'delivered' | 'parked' | 'cancelled' | 'refused' | 'skipped';

const listJobItemsStatement: SqlStatement = {
  name: 'list_job_items',
  text: `
SELECT r.ordinal, r.quarantine_id AS record, m.lane_id AS "laneId", m.program_id AS program, m.member_id AS "memberId",
  COALESCE(r.seq, t.seq) AS seq, r.forecast, r.overtaken, r.state,
  CASE WHEN r.state = 'sent' AND l.state = 'blocked' THEN 'lane-blocked' ELSE r.detail END AS detail, r.sent_at AS "sentAt",
  i.operation, COALESCE(amount_now(i.lane_id, i.seq, i.amount), q.amount) AS amount, COALESCE(i.currency, q.currency) AS currency,
  i.purchase_id AS "purchaseId", COALESCE(i.store_id, NULLIF(q.store_id, '')) AS "storeId"
FROM job_item r LEFT JOIN quarantine q USING (quarantine_id) LEFT JOIN quarantine_settlement t USING (quarantine_id)
  LEFT JOIN member m ON m.lane_id = COALESCE(r.lane_id, t.lane_id) LEFT JOIN lane l ON l.lane_id = m.lane_id
  LEFT JOIN intent i ON i.lane_id = m.lane_id AND i.seq = COALESCE(r.seq, t.seq)
WHERE r.job_id = $1 AND r.ordinal > $2::int AND ($3::text IS NULL OR r.state = $3)
ORDER BY r.ordinal LIMIT $4::int`,
};

export interface JobItem {
  readonly ordinal: number;
  /** A record that was set aside; null of an intent. */
  readonly record: number | null;
  /** Of its intent; all null of a record that has become none. */
  readonly laneId: number | null;
  readonly program: string | null;
  readonly memberId: string | null;
  readonly seq: number | null;
  readonly forecast: Forecast;
  /** Later intents of its member that had been settled when the selection was frozen. */
  readonly overtaken: number;
  readonly state: JobItemState;
  /** Why it was refused, or parked again, or stands still though it was sent. */
  readonly detail: string | null;
  readonly sentAt: number | null;
  /** These of its intent; null also once retention has taken that away. */
  readonly operation: Operation | null;
  /** Exact decimal text. */
  readonly amount: string | null;
  readonly currency: string | null;
  readonly purchaseId: string | null;
  readonly storeId: string | null;
}

const countItemsStatement: SqlStatement = {
  name: 'count_job_items',
  text: 'SELECT job_id AS "jobId", state, count(*) AS items FROM job_item WHERE job_id = ANY ($1::text[]) GROUP BY 1, 2',
};

interface CountRow {
  readonly jobId: string;
  readonly state: JobItemState;
  readonly items: number;
}

/** Whether its items are to be counted: some of them may move yet. */
export function isMoving({ counts, selection }: Pick<Job, 'counts' | 'selection'>): boolean {
  return selection !== null && counts === null;
}

export type ItemCounts = Readonly<Record<string, number>>;

function byState(rows: readonly CountRow[]): ItemCounts {
  return Object.fromEntries(rows.map(({ state, items }) => [state, items]));
}

/** One at a time: two that settled the same items would wait for each other, or count them twice. */
const lockJobStatement: SqlStatement = {
  name: 'lock_job',
  text: 'SELECT FROM job WHERE job_id = $1 FOR NO KEY UPDATE',
  isRead: true,
};

/** What came of the items that were sent, by the status of their intents. */
const settleStatement: SqlStatement = {
  name: 'settle_job_items',
  text: `
UPDATE job_item r SET state = CASE WHEN s.status IN ('parked', 'cancelled') THEN s.status ELSE 'delivered' END,
  detail = CASE s.status WHEN 'parked' THEN concat_ws(' ', s.reason, s.code) END
FROM job_item q JOIN lane l USING (lane_id) LEFT JOIN intent_standing s USING (lane_id, seq)
WHERE q.job_id = $1 AND q.state = 'sent' AND r.job_id = q.job_id AND r.ordinal = q.ordinal
  AND (s.status IN ('parked', 'cancelled', 'delivered')
    OR s.status IS NULL AND NOT (l.cur_seq = q.seq AND l.attempt_open)
      AND NOT ${openInLane('q.seq')})
RETURNING r.state, r.ordinal`,
};

/** SQL: items up to this were begun before the job was resumed. */
const canaryFrom = `(canary->>'from')::int`;
const settled = (name: 'settled' | 'failed'): string => `(canary->>'${name}')::int`;

/** Those from before the canary began are none of its business. */
const countStatement: SqlStatement = {
  name: 'count_settled_items',
  text: `
UPDATE job SET canary = canary || jsonb_build_object(
  'settled', ${settled('settled')} + (SELECT count(*) FROM unnest($2::int[]) AS o WHERE o > ${canaryFrom}),
  'failed', ${settled('failed')} + (SELECT count(*) FROM unnest($3::int[]) AS o WHERE o > ${canaryFrom}))
WHERE job_id = $1`,
};

interface SettledItem {
  readonly state: JobItemState;
  readonly ordinal: number;
}

const ordinalsOf = (items: readonly SettledItem[]): number[] => items.map(({ ordinal }) => ordinal);

async function settleWithin(session: SqlSession, jobId: string): Promise<readonly SettledItem[]> {
  await session.query(lockJobStatement, [jobId]);
  const { rows } = await session.query<SettledItem>(settleStatement, [jobId]);
  if (rows.length === 0) return rows;
  const failed = rows.filter(({ state }) => state === 'parked');
  await session.query(countStatement, [jobId, ordinalsOf(rows), ordinalsOf(failed)]);
  return rows;
}

/**
 * However many items have come to an end: those are counted when they do. What was put back into a lane that is blocked
 * since stands still until somebody mends what blocks it: nobody waits for that.
 */
const countProgressStatement: SqlStatement = {
  name: 'count_item_progress',
  text: `
SELECT EXISTS (SELECT FROM job_item w WHERE w.job_id = r.job_id AND w.state = 'waiting') AS "isWaiting",
  u.items AS "underWay", ${settled('settled')} + u.begun AS begun, ${settled('settled')} AS settled, ${settled('failed')} AS failed
FROM job r CROSS JOIN LATERAL (
  SELECT count(*) AS items, count(*) FILTER (WHERE i.ordinal > ${canaryFrom}) AS begun
  FROM job_item i JOIN lane l USING (lane_id)
  WHERE i.job_id = r.job_id AND i.state = 'sent' AND l.state <> 'blocked') u
WHERE r.job_id = $1`,
};

/** How far a job's items are; the last three are of what was sent since its canary began. */
export interface ItemProgress {
  /** Some are not sent yet. */
  readonly isWaiting: boolean;
  readonly underWay: number;
  readonly begun: number;
  readonly settled: number;
  readonly failed: number;
}

/** Inactive jobs whose items are settled in one turn, at most. */
const inactiveJobsMax = 20;
/** How often one of them is checked, over all processes. */
export const inactivePollMs = 2_000;

const leaseInactiveStatement: SqlStatement = {
  name: 'lease_resting_jobs',
  text: `
UPDATE job SET leased_until = $2::timestamptz
WHERE job_id IN (
  SELECT job_id FROM job
  WHERE kind = $3 AND selection IS NOT NULL AND counts IS NULL AND state NOT IN ('waiting', 'running') AND (leased_until IS NULL OR leased_until <= $1::timestamptz)
  ORDER BY leased_until NULLS FIRST, job_id LIMIT ${inactiveJobsMax} FOR UPDATE SKIP LOCKED)
RETURNING job_id AS "jobId"`,
};

/** A resume or cancellation of the job waits: what is counted afterwards stays so. */
const lockInactiveStatement: SqlStatement = {
  name: 'lock_resting_job',
  text: `
SELECT FROM job WHERE job_id = $1 AND state NOT IN ('waiting', 'running') AND counts IS NULL
  AND NOT EXISTS (SELECT FROM job_item i WHERE i.job_id = $1 AND i.state = 'sent')
FOR NO KEY UPDATE`,
  isRead: true,
};

const keepStatement: SqlStatement = {
  name: 'keep_job_counts',
  text: 'UPDATE job SET counts = $2::jsonb, leased_until = NULL WHERE job_id = $1',
};

async function keepCountsWithin(session: SqlSession, jobId: string): Promise<void> {
  const { rowCount } = await session.query(lockInactiveStatement, [jobId]);
  if (rowCount === 0) return;
  const { rows } = await session.query<CountRow>(countItemsStatement, [[jobId]]);
  const counts = byState(rows);
  // Sent while the lock was waited for.
  if (counts['sent'] !== undefined) return;
  await session.query(keepStatement, [jobId, JSON.stringify(counts)]);
}

const addItemsStatement: SqlStatement = {
  name: 'add_job_items',
  text: `
WITH added AS (
  INSERT INTO job_item (job_id, ordinal, lane_id, seq, forecast, overtaken, state, sent_at)
  SELECT $1, (SELECT COALESCE(max(ordinal), 0) FROM job_item WHERE job_id = $1) + w.ordinality, w.lane_id, w.seq, 'will-post', 0, 'sent', $4::timestamptz
  FROM unnest($2::bigint[], $3::int[]) WITH ORDINALITY AS w (lane_id, seq, ordinality)
  ON CONFLICT (job_id, lane_id, seq) DO NOTHING
  RETURNING 1
), total AS (
  SELECT (SELECT count(*) FROM added) + (SELECT count(*) FROM job_item WHERE job_id = $1) AS items
)
UPDATE job SET counts = NULL, selection = jsonb_build_object('items', items, 'members', items, 'money', '[]'::jsonb,
  'byForecast', jsonb_build_object('will-post', items))
FROM total WHERE job_id = $1`,
};

/** Intents that a job has had sent as it went, one of each member. */
export async function addSentItems(
  session: SqlSession,
  { jobId, places, now }: { readonly jobId: string; readonly places: readonly Place[]; readonly now: number },
): Promise<void> {
  if (places.length === 0) return;
  const parameters = [jobId, places.map(({ laneId }) => laneId), places.map(({ seq }) => seq), timestamp(now)];
  await session.query(addItemsStatement, parameters);
}

interface Place {
  readonly laneId: number;
  readonly seq: number;
}

interface Settling {
  readonly items: JobItemRepository;
  readonly clock: Clock;
  /** Called with items that have come to an end, for metrics. */
  readonly onJobItems?: (state: JobItemState, count: number) => void;
}

/**
 * Notes what came of the items that were sent before their job, of this kind, was paused, stopped, cancelled or done: what
 * was sent stays sent, and comes to its own end.
 */
export async function settleInactive({ items, clock, onJobItems }: Settling, kind: JobKindName): Promise<void> {
  for (const jobId of await items.leaseInactive(kind, clock.now())) {
    for (const [state, count] of await items.settle(jobId)) onJobItems?.(state, count);
    await items.keepCounts(jobId);
  }
}

/** What jobs have selected, and what came of it. */
@Injectable()
export class JobItemRepository {
  constructor(private readonly database: Database) {}

  /** How far each of these jobs is, by the state of its items. Only items of those that still move are counted. */
  async count(jobs: readonly Pick<Job, 'jobId' | 'counts' | 'selection'>[]): Promise<Map<string, ItemCounts>> {
    const moving = jobs.filter(isMoving).map(({ jobId }) => jobId);
    const { rows } =
      moving.length === 0 ? { rows: [] } : await this.database.execute<CountRow>(countItemsStatement, [moving]);
    const rowsOf = Map.groupBy(rows, ({ jobId }) => jobId);
    return new Map(jobs.map(({ jobId, counts }) => [jobId, counts ?? byState(rowsOf.get(jobId) ?? [])]));
  }

  /** A job's items in their order, after the given one (0 to begin). */
  async list(query: {
    readonly jobId: string;
    readonly after: number;
    readonly state: string | null;
    readonly limit: number;
  }): Promise<JobItem[]> {
    const { jobId, after, state, limit } = query;
    return (await this.database.execute<JobItem>(listJobItemsStatement, [jobId, after, state, limit])).rows;
  }

  /** Notes what came of the items that were sent. @returns how many have come to which end */
  async settle(jobId: string): Promise<Map<JobItemState, number>> {
    const ended = await this.database.transaction('settle_job_items', (session) => settleWithin(session, jobId));
    const byState = Map.groupBy(ended, ({ state }) => state);
    return new Map([...byState].map(([state, { length }]) => [state, length]));
  }

  /** Leases jobs of a kind that send nothing now while sent items may still settle; the longest-waiting first. */
  async leaseInactive(kind: JobKindName, now: number): Promise<readonly string[]> {
    const parameters = [timestamp(now), timestamp(now + inactivePollMs), kind];
    const { rows } = await this.database.execute<{ jobId: string }>(leaseInactiveStatement, parameters);
    return rows.map(({ jobId }) => jobId);
  }

  async progress(jobId: string): Promise<ItemProgress> {
    const [row] = (await this.database.execute<ItemProgress>(countProgressStatement, [jobId])).rows;
    if (row === undefined) throw new Error('a count returned nothing');
    return row;
  }

  /** Keeps the counts of a job of which nothing moves any more: its items are not counted again. */
  async keepCounts(jobId: string): Promise<void> {
    await this.database.transaction('keep_job_counts', (session) => keepCountsWithin(session, jobId));
  }
}
