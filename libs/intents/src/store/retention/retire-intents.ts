import type { IdentityPlace } from '#intents/core';
import type { Database, SqlSession, SqlStatement } from '#platform';

import { isAnyOptOut } from '../events/opt-outs.js';
import { timestamp } from '../events/stored-event.js';
import { operationList } from '../events/transition-sql.js';

/**
 * Opens the append-only tables to a transaction of whoever may act as their owner; nobody else's. Each statement in it is
 * planned by what the tables are then: `lane_start`, empty at the first one, would be read whole for every lane for ever.
 */
export const retireStatement: SqlStatement = {
  name: 'begin_retiring',
  text: `SELECT set_config('loyaltyd.retire', 'on', true), set_config('plan_cache_mode', 'force_custom_plan', true)`,
};

/** What an intent must be older than to leave. */
export interface RetireLimits {
  /** Epoch ms: nothing happened to it since. */
  readonly before: number;
  /** Everybody who follows the events has read up to here. */
  readonly upTo: number;
}

/** Recordings looked through in one transaction, */
const recordingsPerStepMax = 1_000;
/** and intents that may leave their lanes in it: these are locked for as long as it takes, some tenths of a second. */
const intentsPerStepMax = 10_000;

/** Where a look through the recordings, oldest first, goes on. */
interface RecordingPlace {
  /** As Postgres writes it: cut to milliseconds it would be found again and again. */
  readonly recordedAt: string;
  readonly laneId: number;
  readonly seq: number;
}

const oldestRecording: RecordingPlace = { recordedAt: '-infinity', laneId: 0, seq: 0 };

const stretchStatement: SqlStatement = {
  name: 'find_oldest_recordings',
  isRead: true,
  text: `
SELECT (array_agg(recorded_at::text ORDER BY recorded_at DESC, lane_id DESC, seq DESC))[1] AS "recordedAt",
  (array_agg(lane_id ORDER BY recorded_at DESC, lane_id DESC, seq DESC))[1] AS "laneId",
  (array_agg(seq ORDER BY recorded_at DESC, lane_id DESC, seq DESC))[1] AS seq,
  array_agg(DISTINCT lane_id)::text[] AS lanes, count(*)::int AS looked
FROM (
  SELECT recorded_at, lane_id, seq FROM intent
  WHERE recorded_at < $1::timestamptz AND (recorded_at, lane_id, seq) > ($2::timestamptz, $3::bigint, $4::int)
  ORDER BY recorded_at, lane_id, seq LIMIT ${recordingsPerStepMax}
) looked`,
};

/** Null where nothing is that old. */
interface StretchRow {
  readonly recordedAt: string | null;
  readonly laneId: number;
  readonly seq: number;
  readonly lanes: readonly string[];
  readonly looked: number;
}

/** A lane with something to send, or that somebody holds, keeps all it has until another day, and is never waited for. */
const lockStatement: SqlStatement = {
  name: 'lock_resting_lanes',
  isRead: true,
  text: `
SELECT lane_id::text AS "laneId" FROM lane
WHERE lane_id = ANY ($1::bigint[]) AND owner IS NULL AND NOT attempt_open AND state = 'live'
  AND head_seq > tail_seq AND cur_seq > tail_seq AND redo = '{}' AND ahead = '{}'
ORDER BY lane_id FOR NO KEY UPDATE SKIP LOCKED`,
};

/**
 * SQL: whether something of a member's profile was said last by an intent (`i`), by the time at which it took its place among what others
 * say: when it happened, or reached the broker; of a clock that runs ahead some while after that, when it came here.
 */
const isSaidLast = `EXISTS (
    SELECT FROM member p CROSS JOIN LATERAL jsonb_each(p.profile_marks) path CROSS JOIN LATERAL jsonb_array_elements(path.value) mark
    CROSS JOIN LATERAL (SELECT to_timestamp((mark->>2)::float8 / 1000) AS at) said
    WHERE p.lane_id = i.lane_id AND (said.at IN (i.occurred_at, i.broker_at)
      OR i.occurred_at > i.broker_at AND said.at BETWEEN i.broker_at - interval '5 minutes' AND i.recorded_at))`;

/**
 * SQL: which old intents (`i`) of locked lanes may leave. Delivered long enough ago, or cancelled and its identity forgotten: what is
 * gone and still referred to was delivered. The last enrolment stays, behind it opt-outs and what else the card shows, and what tells of
 * the pass: they are asked for as long as there is the member, and not of who is erased. So does what an open job has chosen, and what something parked waits for.
 */
const mayLeave = `
  i.seq IS DISTINCT FROM i.issue_seq
  AND (s.status IS NULL OR s.status = 'delivered'
    OR s.status = 'cancelled' AND NOT EXISTS (SELECT FROM dedup d WHERE d.key = i.dedup_key))
  AND (${isAnyOptOut('i')} AND i.seq > i.issue_seq) IS NOT TRUE
  AND (i.operation IN (${operationList('changes')}) AND i.seq > i.issue_seq AND ${isSaidLast}) IS NOT TRUE
  AND i.is_kept IS NOT TRUE
  AND NOT EXISTS (SELECT FROM open_item r WHERE r.lane_id = i.lane_id AND r.seq = i.seq)
  AND NOT EXISTS (SELECT FROM intent_standing w JOIN intent o USING (lane_id, seq)
    WHERE w.lane_id = i.lane_id AND w.status IN ('waiting', 'unknown', 'parked') AND o.waits_for_seq = i.seq)
  AND NOT EXISTS (SELECT FROM intent_standing w WHERE w.awaits_lane_id = i.lane_id AND w.awaits_seq = i.seq)`;

/** SQL: the rows of these lanes, by the index that begins with the lane: another one was walked through lane by lane. */
const ofEachLane = (table: 'intent' | 'intent_event'): string =>
  `unnest($1::bigint[]) AS lane_of (lane), LATERAL (SELECT t.ctid, t.* FROM ${table} t WHERE t.lane_id = lane_of.lane OFFSET 0) AS of_lane`;

/**
 * SQL: all that is old of these lanes and may leave, the oldest first, up to $7; what was looked through is among it. Nothing
 * leaves a lane whose facts, with those that have left, are not as many as its row says: versions are dense. A lane is read once,
 * by one look into each index; what leaves is found again by where it lies (`place`): nothing moves there, for nothing is updated.
 */
const chosen = `
WITH open_item AS MATERIALIZED (
  SELECT r.lane_id, r.seq FROM job j JOIN job_item r USING (job_id)
  WHERE j.state NOT IN ('done', 'cancelled') AND r.lane_id = ANY ($1::bigint[])
), happened AS MATERIALIZED (
  SELECT lane_id, seq, array_agg(of_lane.ctid) AS places, count(*) + count(begun_version) AS facts,
    bool_or(at >= $2::timestamptz OR pos > $3::bigint OR type = 'PassFound' AND seq > erased_seq) AS is_kept
  FROM ${ofEachLane('intent_event')} JOIN member USING (lane_id) GROUP BY lane_id, seq
), recorded AS MATERIALIZED (
  SELECT of_lane.ctid AS place, lane_id, seq, recorded_at, occurred_at, broker_at, operation, event_type, dedup_key FROM ${ofEachLane('intent')}
), whole AS MATERIALIZED (
  SELECT l.lane_id, l.program_id, CASE WHEN l.issue_seq > m.erased_seq THEN l.issue_seq END AS issue_seq, l.version = COALESCE(b.gone, 0) + COALESCE(f.facts, 0) AS is_whole
  FROM lane l JOIN member m USING (lane_id) LEFT JOIN lane_start b USING (lane_id)
    LEFT JOIN (SELECT lane_id, sum(facts) AS facts FROM (
      SELECT lane_id, 1 AS facts FROM recorded UNION ALL SELECT lane_id, facts FROM happened) f GROUP BY lane_id) f USING (lane_id)
  WHERE l.lane_id = ANY ($1::bigint[])
), old AS MATERIALIZED (
  SELECT i.*, h.program_id, h.issue_seq, e.places, e.is_kept, 1 + COALESCE(e.facts, 0) AS facts
  FROM recorded i JOIN whole h USING (lane_id) LEFT JOIN happened e USING (lane_id, seq)
  WHERE h.is_whole AND i.recorded_at < $2::timestamptz
    AND (i.recorded_at, i.lane_id, i.seq) > ($4::timestamptz, $5::bigint, $6::int) AND i.recorded_at <= $7::timestamptz
  ORDER BY i.recorded_at, i.lane_id, i.seq LIMIT ${intentsPerStepMax}
), leaving AS MATERIALIZED (
  SELECT i.place, i.places, i.facts, i.lane_id, i.seq, i.operation, i.program_id, COALESCE(s.status, 'delivered') AS status
  FROM old i LEFT JOIN intent_standing s ON s.lane_id = i.lane_id AND s.seq = i.seq
  WHERE ${mayLeave}
)`;

const counts = `(SELECT count(*) FROM leaving)::int AS intents, (SELECT COALESCE(sum(facts), 0) FROM leaving)::int AS facts,
  (SELECT count(*) FROM whole WHERE NOT is_whole)::int AS "lanesDiffering"`;

/** What goes and what is known of it from then on change together. */
const leaveStatement: SqlStatement = {
  name: 'retire_intents',
  text: `${chosen}, events AS (
  DELETE FROM intent_event WHERE ctid = ANY (ARRAY(SELECT unnest(places) FROM leaving))
), positions AS (
  DELETE FROM intent_standing s USING leaving g WHERE s.lane_id = g.lane_id AND s.seq = g.seq
), intents AS (
  DELETE FROM intent WHERE ctid = ANY (ARRAY(SELECT place FROM leaving))
), begins AS (
  INSERT INTO lane_start AS b (lane_id, version, gone, tail_seq, epoch, issue_seq, pass, ended_before)
  SELECT lane_id, l.version, g.facts, l.tail_seq, l.epoch, l.issue_seq, l.pass, $2::timestamptz
  FROM (SELECT lane_id, sum(facts)::int AS facts FROM leaving GROUP BY lane_id) g JOIN lane l USING (lane_id)
  ON CONFLICT (lane_id) DO UPDATE SET version = EXCLUDED.version, gone = b.gone + EXCLUDED.gone,
    tail_seq = EXCLUDED.tail_seq, epoch = EXCLUDED.epoch, issue_seq = EXCLUDED.issue_seq, pass = EXCLUDED.pass,
    ended_before = GREATEST(b.ended_before, EXCLUDED.ended_before)
), counted AS (
  INSERT INTO retired_tally AS t (program_id, operation, status, intents)
  SELECT program_id, operation, status, count(*) FROM leaving GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (program_id, operation, status) DO UPDATE SET intents = t.intents + EXCLUDED.intents
)
SELECT ${counts}`,
};

const countStatement: SqlStatement = { name: 'count_retiring', isRead: true, text: `${chosen} SELECT ${counts}` };

/** What a look through all recordings came to. */
export interface Retired {
  readonly intents: number;
  readonly facts: number;
  /** Lanes left for another day: leased, or with something left to send. */
  readonly lanesBusy: number;
  /** Lanes whose facts are not as many as their row says: nothing of them leaves. Must be 0. */
  readonly lanesDiffering: number;
  /** Why no intent left, or no further one; null: all was looked through. */
  readonly heldBy: string | null;
}

export const nothingRetired: Retired = { intents: 0, facts: 0, lanesBusy: 0, lanesDiffering: 0, heldBy: null };

type Left = Pick<Retired, 'intents' | 'facts' | 'lanesDiffering'>;

interface Step extends Retired {
  readonly next: RecordingPlace | null;
}

async function takeStep(
  session: SqlSession,
  { limits, isPlan }: { readonly limits: RetireLimits; readonly isPlan: boolean },
  after: RecordingPlace,
): Promise<Step> {
  const heldBy = await findHolder(session);
  if (heldBy !== null) return { ...nothingRetired, heldBy, next: null };
  const before = timestamp(limits.before);
  const from = [after.recordedAt, after.laneId, after.seq];
  const [found] = (await session.query<StretchRow>(stretchStatement, [before, ...from])).rows;
  if (found === undefined || found.recordedAt === null) return { ...nothingRetired, next: null };
  const { recordedAt, laneId, seq, lanes, looked } = found;
  if (!isPlan) await session.query(retireStatement);
  const locked = (await session.query<{ laneId: string }>(lockStatement, [lanes])).rows.map((row) => row.laneId);
  // A plan takes away nothing: what lies behind the stretch is found again with the next one.
  const parameters = [locked, before, limits.upTo, ...from, isPlan ? recordedAt : 'infinity'];
  const { rows } = await session.query<Left>(isPlan ? countStatement : leaveStatement, parameters);
  const next = looked === recordingsPerStepMax ? { recordedAt, laneId, seq } : null;
  return { ...nothingRetired, ...rows[0], lanesBusy: lanes.length - locked.length, next };
}

/**
 * Lets leave what is old enough and nobody needs any more, oldest first, some at a time: each step is a transaction of its
 * own that locks its lanes, so that a run may be ended, or carried out twice at once, at any moment.
 * @param isPlan only counts
 * @throws {DatabaseError} also where we may not act as the owner of the tables
 */
export async function retireIntents(
  database: Database,
  limits: RetireLimits,
  { isPlan, signal }: { readonly isPlan: boolean; readonly signal?: AbortSignal | undefined },
): Promise<Retired> {
  const total: { -readonly [Key in keyof Retired]: Retired[Key] } = { ...nothingRetired };
  const name = isPlan ? 'count_retiring' : 'retire_intents';
  for (let after: RecordingPlace | null = oldestRecording; after !== null && signal?.aborted !== true;) {
    const from: RecordingPlace = after;
    const step = await database.transaction(name, (session) => takeStep(session, { limits, isPlan }, from));
    total.intents += step.intents;
    total.facts += step.facts;
    total.lanesBusy += step.lanesBusy;
    total.lanesDiffering += step.lanesDiffering;
    total.heldBy = step.heldBy;
    after = step.next;
  }
  return total;
}

const positionStatement: SqlStatement = {
  name: 'find_read_position',
  text: `
SELECT LEAST((SELECT pos FROM tally_checkpoint), (SELECT pos FROM projection_checkpoint WHERE name = 'outcomes')) AS pos`,
};

/** The position up to which everybody who follows the events has read. */
export async function findReadPosition(database: Database): Promise<number> {
  return (await database.execute<{ pos: number | null }>(positionStatement)).rows[0]?.pos ?? 0;
}

const exportStatement: SqlStatement = {
  name: 'find_open_export',
  isRead: true,
  text: `SELECT job_id AS "jobId" FROM job WHERE kind = 'export' AND state IN ('waiting', 'running', 'paused') LIMIT 1`,
};

/**
 * What keeps every intent where it is; null: nothing. An export that is not over reads what was there when it began: it
 * begins to read once all transactions have ended that began before it.
 */
async function findHolder(session: Pick<SqlSession, 'query'>): Promise<string | null> {
  const [job] = (await session.query<{ jobId: string }>(exportStatement)).rows;
  return job === undefined ? null : `the export ${job.jobId} is not over`;
}

/**
 * SQL: where a lane's history begins (`b`), of an intent by lane and seq that has left it. What has left and is referred
 * to was delivered.
 */
const retiredStatement: SqlStatement = {
  name: 'find_retired',
  text: `
SELECT w.lane_id AS "laneId", w.seq, b.ended_before AS "endedBefore"
FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq) JOIN lane_start b ON b.lane_id = w.lane_id AND w.seq <= b.tail_seq
WHERE NOT EXISTS (SELECT FROM intent i WHERE i.lane_id = w.lane_id AND i.seq = w.seq)`,
};

/** An intent that has left: it was delivered. */
export interface RetiredIntent extends IdentityPlace {
  /** Epoch ms: it was delivered before. */
  readonly endedBefore: number;
}

/** Which of these intents have left. */
export async function findRetired(
  session: Pick<SqlSession, 'query'>,
  places: readonly IdentityPlace[],
): Promise<RetiredIntent[]> {
  const parameters = [places.map(({ laneId }) => laneId), places.map(({ seq }) => seq)];
  return (await session.query<RetiredIntent>(retiredStatement, parameters)).rows;
}
