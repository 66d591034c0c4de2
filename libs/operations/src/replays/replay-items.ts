import type { Operation } from '#domain';
import { isUnprovenAnswer, openInLane, timestamp, within } from '#intents';
import type { Database, SqlSession, SqlStatement } from '#platform';

import type { Job, JobSelection } from '../jobs/job-store.js';

/** Intents in one replay, at most. */
export const replayItemsMax = 100_000;

/** What was to be expected of an item, by our own history, when the selection was frozen. */
type Forecast =
  | 'will-post'
  /** The partner refused it: it will do so again unless something was mended. */
  | 'was-refused'
  /** It may have taken effect: somebody must say first whether it did. */
  | 'needs-decision'
  /** The same, and the partner answered an attempt with a 2xx that proved nothing: it was most likely done. */
  | 'answered-yes'
  /** A void or revocation has taken it back: it is never sent again, also once its doubt is decided. */
  | 'voided'
  /** Its lane is blocked by an intent that is not selected: that one must be mended first. */
  | 'lane-blocked'
  | 'nothing-to-send'
  | 'member-gone';

export type ReplayItemState = 'waiting' | 'sent' | 'delivered' | 'parked' | 'cancelled' | 'refused' | 'skipped';

/** What a replay may select: parked intents, by any of what lists filter by. */
export interface ReplayFilter {
  /** A member's id, or a purchase's. */
  readonly q?: string;
  readonly operation?: string;
  readonly program?: string;
  readonly memberId?: string;
  readonly seq?: number;
  readonly source?: string;
  readonly store?: string;
  readonly purchaseId?: string;
  readonly reason?: string;
  readonly code?: string;
  readonly fingerprint?: string;
  /** Recorded at or after, epoch ms. */
  readonly from?: number;
  /** Recorded before, epoch ms. */
  readonly to?: number;
}

/** SQL: whether somebody has asked to take a parked intent (`s`) back. */
const isTakenBack = `EXISTS (SELECT FROM intent_event e
        WHERE e.lane_id = s.lane_id AND e.seq = s.seq AND e.type = 'CancelRequested')`;

/** A lane's items stay together, in the order of the lane. */
const freezeStatement: SqlStatement = {
  name: 'freeze_replay',
  text: `
INSERT INTO job_item (job_id, ordinal, lane_id, seq, forecast, overtaken)
SELECT $1, row_number() OVER (ORDER BY first_at, lane_id, seq), lane_id, seq, forecast, overtaken
FROM (
  SELECT s.lane_id, s.seq, min(s.recorded_at) OVER (PARTITION BY s.lane_id) AS first_at,
    lane_overtaken(s.seq, l.head_seq, l.redo, l.ahead) AS overtaken,
    CASE WHEN s.reason = 'erased' OR s.seq <= m.erased_seq THEN 'member-gone' WHEN s.reason IN ('unroutable', 'merged') THEN 'nothing-to-send'
      WHEN ${isTakenBack} THEN 'voided'
      WHEN s.reason = 'unknown-outcome' THEN CASE WHEN EXISTS (SELECT FROM intent_event e
        WHERE e.lane_id = s.lane_id AND e.seq = s.seq AND ${isUnprovenAnswer}) THEN 'answered-yes' ELSE 'needs-decision' END
      WHEN l.state = 'blocked' AND NOT bool_or(s.seq = l.cur_seq) OVER (PARTITION BY s.lane_id) THEN 'lane-blocked'
      WHEN s.reason = 'rejected' THEN 'was-refused' ELSE 'will-post' END AS forecast
  FROM intent_standing s JOIN intent i USING (lane_id, seq) JOIN lane l USING (lane_id) JOIN member m USING (lane_id)
  WHERE s.status = 'parked'
    AND ($2::text IS NULL OR s.program_id = $2) AND ($3::text IS NULL OR s.operation = $3)
    AND ($4::text IS NULL OR s.reason = $4) AND ($5::text IS NULL OR s.code = $5)
    AND ($6::text IS NULL OR s.fingerprint = $6) AND ($7::text IS NULL OR m.member_id = $7)
    AND ($8::text IS NULL OR i.source = $8) AND ($9::text IS NULL OR i.store_id = $9)
    AND ($10::text IS NULL OR i.purchase_id = $10)
    AND s.recorded_at >= $11::timestamptz AND s.recorded_at < $12::timestamptz
    AND ($13::int IS NULL OR s.seq = $13) AND ($14::text IS NULL OR m.member_id = $14 OR i.purchase_id = $14)
  LIMIT ${replayItemsMax + 1}
) selected`,
};

/** What never changes of it, counted once. */
const sumStatement: SqlStatement = {
  name: 'sum_replay',
  isRead: true,
  text: `
SELECT (SELECT count(*) FROM job_item WHERE job_id = $1) AS items,
  (SELECT count(DISTINCT lane_id) FROM job_item WHERE job_id = $1) AS members,
  (SELECT COALESCE(jsonb_object_agg(forecast, items), '{}') FROM (
    SELECT forecast, count(*) AS items FROM job_item WHERE job_id = $1 GROUP BY forecast) f) AS "byForecast",
  (SELECT COALESCE(jsonb_agg(jsonb_build_object('currency', currency,
      'minor', trunc(amount * 10::numeric ^ scale(amount)), 'digits', scale(amount)) ORDER BY currency), '[]')
    FROM (SELECT currency, sum(amount) AS amount FROM job_item JOIN intent USING (lane_id, seq)
      WHERE job_id = $1 AND amount IS NOT NULL AND currency IS NOT NULL GROUP BY currency) sums) AS money`,
};

/** A replay selects nothing, or too much: nothing is written of it. */
export class NotFrozenError extends Error {
  override readonly name = 'NotFrozenError';

  constructor(readonly kind: 'empty' | 'too-many') {
    super(`a replay was not frozen: ${kind}`);
  }
}

/** Freezes what is parked now and fits the query. @throws {NotFrozenError} */
export async function freezeReplay(session: SqlSession, jobId: string, query: ReplayFilter): Promise<JobSelection> {
  const { program, operation, reason, code, fingerprint, memberId, source, store, purchaseId, from, to } = query;
  const parts = [program, operation, reason, code, fingerprint, memberId, source, store, purchaseId];
  const { rowCount } = await session.query(freezeStatement, [
    jobId,
    ...parts.map((part) => part ?? null),
    from === undefined ? '-infinity' : timestamp(from),
    to === undefined ? 'infinity' : timestamp(to),
    query.seq ?? null,
    query.q ?? null,
  ]);
  if (rowCount === 0) throw new NotFrozenError('empty');
  if (rowCount > replayItemsMax) throw new NotFrozenError('too-many');
  const [selection] = (await session.query<JobSelection>(sumStatement, [jobId])).rows;
  if (selection === undefined) throw new Error('a count returned nothing');
  return selection;
}

const listReplayItemsStatement: SqlStatement = {
  name: 'list_replay_items',
  text: `
SELECT r.ordinal, r.lane_id AS "laneId", m.program_id AS program, m.member_id AS "memberId", r.seq, r.forecast, r.overtaken, r.state,
  CASE WHEN r.state = 'sent' AND l.state = 'blocked' THEN 'lane-blocked' ELSE r.detail END AS detail, r.sent_at AS "sentAt",
  i.operation, i.amount, i.currency, i.purchase_id AS "purchaseId", i.store_id AS "storeId"
FROM job_item r JOIN member m USING (lane_id) JOIN lane l USING (lane_id) LEFT JOIN intent i USING (lane_id, seq)
WHERE r.job_id = $1 AND r.ordinal > $2::int AND ($3::text IS NULL OR r.state = $3)
ORDER BY r.ordinal LIMIT $4::int`,
};

export interface ReplayItem {
  readonly laneId: number;
  readonly ordinal: number;
  readonly program: string;
  readonly memberId: string;
  readonly seq: number;
  readonly forecast: Forecast;
  /** Later intents of its member that had been settled when the selection was frozen. */
  readonly overtaken: number;
  readonly state: ReplayItemState;
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

/** A replay's items in their order, after the given one (0 to begin). */
export async function listReplayItems(
  database: Database,
  query: { readonly jobId: string; readonly after: number; readonly state: string | null; readonly limit: number },
): Promise<ReplayItem[]> {
  const { jobId, after, state, limit } = query;
  return (await database.execute<ReplayItem>(listReplayItemsStatement, [jobId, after, state, limit])).rows;
}

const countItemsStatement: SqlStatement = {
  name: 'count_replay_items',
  text: 'SELECT job_id AS "jobId", state, count(*) AS items FROM job_item WHERE job_id = ANY ($1::text[]) GROUP BY 1, 2',
};

interface CountRow {
  readonly jobId: string;
  readonly state: ReplayItemState;
  readonly items: number;
}

export type ItemCounts = Readonly<Record<string, number>>;

/** How far each of these jobs is, by the state of its items. Only items of those that still move are counted. */
export async function countItems(
  database: Pick<Database, 'execute'>,
  jobs: readonly Pick<Job, 'jobId' | 'counts'>[],
): Promise<Map<string, ItemCounts>> {
  const moving = jobs.filter(({ counts }) => counts === null).map(({ jobId }) => jobId);
  const { rows } = moving.length === 0 ? { rows: [] } : await database.execute<CountRow>(countItemsStatement, [moving]);
  const rowsOf = Map.groupBy(rows, ({ jobId }) => jobId);
  const counted = (jobId: string): ItemCounts =>
    Object.fromEntries((rowsOf.get(jobId) ?? []).map(({ state, items }) => [state, items]));
  return new Map(jobs.map(({ jobId, counts }) => [jobId, counts ?? counted(jobId)]));
}

const nextReplayItemsStatement: SqlStatement = {
  name: 'next_job_items',
  text: `
SELECT r.ordinal, r.lane_id AS "laneId", r.seq, (
    SELECT count(*) FROM intent_event e WHERE e.lane_id = r.lane_id AND e.seq = r.seq AND e.type = 'IntentReplayed'
      AND e.data->>'by' <> 'loyaltyd'
  ) AS replays
FROM job_item r WHERE r.job_id = $1 AND r.state = 'waiting' ORDER BY r.ordinal LIMIT $2::int`,
};

export interface NextItem {
  readonly ordinal: number;
  readonly laneId: number;
  readonly seq: number;
  /** How often it was replayed before. */
  readonly replays: number;
}

/** The items that come next, in their order. */
export async function nextItems(database: Database, jobId: string, limit: number): Promise<NextItem[]> {
  return (await database.execute<NextItem>(nextReplayItemsStatement, [jobId, limit])).rows;
}

const isReplayItemHeldUpStatement: SqlStatement = {
  name: 'is_job_item_held_up',
  text: `
SELECT FROM lane l WHERE l.lane_id = $2 AND l.state = 'blocked' AND NOT EXISTS (
  SELECT FROM job_item b
  WHERE b.job_id = $1 AND b.lane_id = l.lane_id AND b.seq = l.cur_seq AND b.state = 'waiting')`,
};

/** Whether a lane is blocked by an intent that this replay does not put back, too. The lane is locked. */
export async function isHeldUp(
  session: SqlSession,
  { jobId, laneId }: { readonly jobId: string; readonly laneId: number },
): Promise<boolean> {
  return (await session.query(isReplayItemHeldUpStatement, [jobId, laneId])).rowCount > 0;
}

/** One at a time: two that settled the same items would wait for each other, or count them twice. */
const lockJobStatement: SqlStatement = {
  name: 'lock_replay',
  text: 'SELECT FROM job WHERE job_id = $1 FOR NO KEY UPDATE',
  isRead: true,
};

/** What came of the items that were sent: told by how their intents stand. */
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

/** SQL: items up to this were begun before somebody let it go on. */
const canaryFrom = `COALESCE((cursor->>'canaryFrom')::int, 0)`;
const settled = (name: 'settled' | 'failed'): string => `COALESCE((progress->>'${name}')::int, 0)`;

/** Those from before the canary began are none of its business. */
const countStatement: SqlStatement = {
  name: 'count_settled_items',
  text: `
UPDATE job SET progress = jsonb_build_object(
  'settled', ${settled('settled')} + (SELECT count(*) FROM unnest($2::int[]) AS o WHERE o > ${canaryFrom}),
  'failed', ${settled('failed')} + (SELECT count(*) FROM unnest($3::int[]) AS o WHERE o > ${canaryFrom}))
WHERE job_id = $1`,
};

interface SettledItem {
  readonly state: ReplayItemState;
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

/** Notes what came of the items that were sent. @returns how many have come to which end */
export async function settleItems(database: Database, jobId: string): Promise<Map<ReplayItemState, number>> {
  const ended = await database.transaction('settle_job_items', (session) => settleWithin(session, jobId));
  const byState = Map.groupBy(ended, ({ state }) => state);
  return new Map([...byState].map(([state, { length }]) => [state, length]));
}

/**
 * However many items have come to an end: those are counted when they do. What was put back into a lane that is blocked
 * since stands still until somebody mends what blocks it: nobody waits for that.
 */
const countReplayProgressStatement: SqlStatement = {
  name: 'count_replay_progress',
  text: `
SELECT EXISTS (SELECT FROM job_item w WHERE w.job_id = r.job_id AND w.state = 'waiting') AS "isWaiting",
  u.items AS "underWay", ${settled('settled')} + u.begun AS begun, ${settled('settled')} AS settled, ${settled('failed')} AS failed
FROM job r CROSS JOIN LATERAL (
  SELECT count(*) AS items, count(*) FILTER (WHERE i.ordinal > ${canaryFrom}) AS begun
  FROM job_item i JOIN lane l USING (lane_id)
  WHERE i.job_id = r.job_id AND i.state = 'sent' AND l.state <> 'blocked') u
WHERE r.job_id = $1`,
};

/** How far a replay is; the last three are of what was sent since its canary began. */
export interface ReplayProgress {
  /** Some are not sent yet. */
  readonly isWaiting: boolean;
  readonly underWay: number;
  readonly begun: number;
  readonly settled: number;
  readonly failed: number;
}

export async function countProgress(database: Database, jobId: string): Promise<ReplayProgress> {
  const [row] = (await database.execute<ReplayProgress>(countReplayProgressStatement, [jobId])).rows;
  if (row === undefined) throw new Error('a count returned nothing');
  return row;
}

/** Inactive replays that are settled in one turn, at most. */
const inactiveReplaysMax = 20;
/** How often one of them is checked, over all processes. */
export const inactivePollMs = 2_000;

const leaseInactiveStatement: SqlStatement = {
  name: 'lease_resting_replays',
  text: `
UPDATE job SET leased_until = $2::timestamptz
WHERE job_id IN (
  SELECT job_id FROM job
  WHERE selection IS NOT NULL AND counts IS NULL AND state NOT IN ('waiting', 'running') AND (leased_until IS NULL OR leased_until <= $1::timestamptz)
  ORDER BY leased_until NULLS FIRST, job_id LIMIT ${inactiveReplaysMax} FOR UPDATE SKIP LOCKED)
RETURNING job_id AS "jobId"`,
};

/** Leases replays that send nothing now while sent items may still settle; the longest-waiting first. */
export async function leaseInactive(database: Database, now: number): Promise<readonly string[]> {
  const parameters = [timestamp(now), timestamp(now + inactivePollMs)];
  const { rows } = await database.execute<{ jobId: string }>(leaseInactiveStatement, parameters);
  return rows.map(({ jobId }) => jobId);
}

/** Whoever lets it go on, or cancels it, waits: what is counted afterwards stays so. */
const lockInactiveStatement: SqlStatement = {
  name: 'lock_resting_replay',
  text: `
SELECT FROM job WHERE job_id = $1 AND state NOT IN ('waiting', 'running') AND counts IS NULL
  AND NOT EXISTS (SELECT FROM job_item i WHERE i.job_id = $1 AND i.state = 'sent')
FOR NO KEY UPDATE`,
  isRead: true,
};

const keepStatement: SqlStatement = {
  name: 'keep_replay_counts',
  text: 'UPDATE job SET counts = $2::jsonb, leased_until = NULL WHERE job_id = $1',
};

async function keepCountsWithin(session: SqlSession, jobId: string): Promise<void> {
  const { rowCount } = await session.query(lockInactiveStatement, [jobId]);
  if (rowCount === 0) return;
  const counts = (await countItems(within(session), [{ jobId, counts: null }])).get(jobId);
  // Sent while the lock was waited for.
  if (counts === undefined || counts['sent'] !== undefined) return;
  await session.query(keepStatement, [jobId, JSON.stringify(counts)]);
}

/** Keeps the counts of a replay of which nothing moves any more, so that nobody counts its items again. */
export async function keepCounts(database: Database, jobId: string): Promise<void> {
  await database.transaction('keep_replay_counts', (session) => keepCountsWithin(session, jobId));
}
