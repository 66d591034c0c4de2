import type { MemberKeys } from '#intents';
import { isOfAbsorbed, isOfWhoLeft, isUnprovenAnswer, loadCommandsMax, loadPlanned, timestamp, within } from '#intents';
import type { EventPlanner, IdentityPlace, Operation } from '#intents/core';
import type { Database, SqlParameter, SqlSession, SqlStatement } from '#platform';
import { int4Array } from '#platform';

import type { IntentFilter } from '../../../intents/list-intents.js';
import type { JobSelection } from '../../job-repository.js';

/** Intents in one replay, at most. */
export const replayItemsMax = 100_000;

/** What a replay may select: parked intents, by any of what lists filter by. */
export interface ReplayFilter extends Omit<IntentFilter, 'status' | 'statuses' | 'laneId'> {
  /** A member's id, or a purchase's. */
  readonly q?: string;
}

/** SQL: whether a void or revocation wants to take a parked intent (`s`) back. */
const isTakenBack = `EXISTS (SELECT FROM intent_event e
        WHERE e.lane_id = s.lane_id AND e.seq = s.seq AND e.type = 'CancelRequested')`;

/** SQL: whether an intent (`i`) was given another content than it was recorded with, or one at all. */
const isCorrected = `EXISTS (SELECT FROM intent_event e
        WHERE e.lane_id = i.lane_id AND e.seq = i.seq AND e.type = 'IntentCorrected')`;

/** SQL: whether what was refused of an intent (`i`, `s`) is not what would be sent now: it was corrected after it was parked. */
const isCorrectedSince = `EXISTS (SELECT FROM intent_event e
        WHERE e.lane_id = i.lane_id AND e.seq = i.seq AND e.type = 'IntentCorrected' AND e.at >= s.since)`;

/** SQL: whether what an intent (`i`) was good for is over by `now`, as it was recorded. What was corrected is judged when it is sent. */
const isOver = (now: string): string => `(i.valid_until <= ${now} AND NOT ${isCorrected})`;

/** SQL: whether a parked intent (`s`, `i`, `m`) is selected; `$2` to `$14`: `selectedParts`. */
export const isSelected = `s.status = 'parked'
    AND ($2::text IS NULL OR s.program_id = $2) AND ($3::text IS NULL OR s.operation = $3)
    AND ($4::text IS NULL OR s.reason = $4) AND ($5::text IS NULL OR s.code = $5)
    AND ($6::text IS NULL OR s.fingerprint = $6) AND ($7::text IS NULL OR m.member_id = $7)
    AND ($8::text IS NULL OR i.source = $8) AND ($9::text IS NULL OR i.store_id = $9)
    AND ($10::text IS NULL OR i.purchase_id = $10)
    AND s.recorded_at >= $11::timestamptz AND s.recorded_at < $12::timestamptz
    AND ($13::int IS NULL OR s.seq = $13) AND ($14::text IS NULL OR m.member_id = $14 OR i.purchase_id = $14)`;

export function selectedParts(query: ReplayFilter): readonly SqlParameter[] {
  const { program, operation, reason, code, fingerprint, memberId, source, store, purchaseId, from, to } = query;
  const parts = [program, operation, reason, code, fingerprint, memberId, source, store, purchaseId];
  return [
    ...parts.map((part) => part ?? null),
    from === undefined ? '-infinity' : timestamp(from),
    to === undefined ? 'infinity' : timestamp(to),
    query.seq ?? null,
    query.q ?? null,
  ];
}

/** A lane's items stay together, in the order of the lane. */
const freezeStatement: SqlStatement = {
  name: 'freeze_replay',
  text: `
INSERT INTO job_item (job_id, ordinal, lane_id, seq, forecast, overtaken)
SELECT $1, row_number() OVER (ORDER BY first_at, lane_id, seq), lane_id, seq, forecast, overtaken
FROM (
  SELECT s.lane_id, s.seq, min(s.recorded_at) OVER (PARTITION BY s.lane_id) AS first_at,
    lane_overtaken(s.seq, l.head_seq, l.redo, l.ahead) AS overtaken,
    CASE WHEN s.reason = 'erased' OR s.seq <= m.erased_seq THEN 'member-gone' WHEN s.reason IN ('merged', 'card-replaced') AND NOT ${isCorrected} THEN 'nothing-to-send'
      WHEN ${isTakenBack} THEN 'voided'
      WHEN s.reason = 'unknown-outcome' THEN CASE WHEN EXISTS (SELECT FROM intent_event e
        WHERE e.lane_id = s.lane_id AND e.seq = s.seq AND ${isUnprovenAnswer}) THEN 'answered-yes' ELSE 'needs-decision' END
      WHEN ${isOfAbsorbed('i', 'm')} THEN 'merged' WHEN ${isOfWhoLeft('i', 'm')} THEN 'not-a-member'
      WHEN ${isOver('j.created_at')} THEN 'expired'
      WHEN l.state = 'blocked' AND NOT bool_or(s.seq = l.cur_seq) OVER (PARTITION BY s.lane_id) THEN 'lane-blocked'
      WHEN s.reason = 'rejected' AND ${isCorrectedSince} THEN 'corrected-since'
      WHEN s.reason = 'rejected' THEN 'was-refused' ELSE 'will-post' END AS forecast
  FROM intent_standing s JOIN intent i USING (lane_id, seq) JOIN lane l USING (lane_id) JOIN member m USING (lane_id)
    JOIN job j ON j.job_id = $1
  WHERE ${isSelected}
  LIMIT ${replayItemsMax + 1}
) selected`,
};

const findUnmappedStatement: SqlStatement = {
  name: 'find_unmapped_items',
  text: `
SELECT r.ordinal, i.lane_id AS "laneId", i.seq FROM job_item r JOIN intent i USING (lane_id, seq) JOIN intent_standing s USING (lane_id, seq)
WHERE r.job_id = $1 AND r.ordinal > $2 AND s.status = 'parked' AND s.reason = 'unroutable' AND r.forecast <> 'member-gone' AND NOT ${isCorrected}
ORDER BY r.ordinal LIMIT ${loadCommandsMax}`,
};

const foretellNothingStatement: SqlStatement = {
  name: 'foretell_nothing_to_send',
  text: `UPDATE job_item SET forecast = 'nothing-to-send' WHERE job_id = $1 AND ordinal = ANY ($2::int[])`,
};

interface UnmappedItem extends IdentityPlace {
  readonly ordinal: number;
}

/** By what it is told what a replay would send. */
export interface ForecastTools {
  readonly planner: EventPlanner;
  readonly keys: MemberKeys;
}

/** Of what was recorded without a call the programs file of now tells whether there is one. */
async function foretellUnmapped(session: SqlSession, jobId: string, tools: ForecastTools): Promise<void> {
  let after: number | undefined = 0;
  while (after !== undefined) {
    const { rows }: { readonly rows: UnmappedItem[] } = await session.query(findUnmappedStatement, [jobId, after]);
    const loaded = await loadPlanned(within(session), rows, tools);
    const mapped = new Set(loaded.map(({ laneId, seq }) => `${laneId}/${seq}`));
    const others = rows.filter(({ laneId, seq }) => !mapped.has(`${laneId}/${seq}`));
    await session.query(foretellNothingStatement, [jobId, int4Array(others.map(({ ordinal }) => ordinal))]);
    after = rows.length < loadCommandsMax ? undefined : rows.at(-1)?.ordinal;
  }
}

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
    FROM (SELECT currency, sum(amount_now(lane_id, seq, amount)) AS amount FROM job_item JOIN intent USING (lane_id, seq)
      WHERE job_id = $1 AND amount_now(lane_id, seq, amount) IS NOT NULL AND currency IS NOT NULL GROUP BY currency) sums) AS money`,
};

/** A replay selects nothing, or too much: nothing is written of it. */
export class NotFrozenError extends Error {
  override readonly name = 'NotFrozenError';

  constructor(readonly kind: 'empty' | 'too-many') {
    super(`a replay was not frozen: ${kind}`);
  }
}

interface Freezing {
  readonly jobId: string;
  readonly query: ReplayFilter;
}

/** Freezes what is parked now and fits the query. @throws {NotFrozenError} */
export async function freezeReplay(
  session: SqlSession,
  freezing: Freezing,
  tools: ForecastTools,
): Promise<JobSelection> {
  await insertParked(session, freezing);
  await foretellUnmapped(session, freezing.jobId, tools);
  return sumItems(session, freezing.jobId);
}

const keepVersionsStatement: SqlStatement = {
  name: 'keep_item_versions',
  text: `
UPDATE job_item r SET version = COALESCE((SELECT max(e.version) FROM intent_event e WHERE e.lane_id = r.lane_id AND e.seq = r.seq), 0)
WHERE job_id = $1`,
};

/**
 * The same for what is said of each as it is now: what moves afterwards is refused.
 * @throws {NotFrozenError}
 */
export async function freezeSeen(session: SqlSession, freezing: Freezing, itemsMax: number): Promise<void> {
  if ((await insertParked(session, freezing)) > itemsMax) throw new NotFrozenError('too-many');
  await session.query(keepVersionsStatement, [freezing.jobId]);
}

const listFrozenStatement: SqlStatement = {
  name: 'list_frozen_items',
  text: `
SELECT r.ordinal, r.lane_id AS "laneId", r.seq, r.forecast, m.program_id AS program, m.member_id AS "memberId", i.operation,
  i.purchase_id AS "purchaseId", i.currency
FROM job_item r JOIN member m USING (lane_id) JOIN intent i USING (lane_id, seq)
WHERE r.job_id = $1 AND r.ordinal > $2::int ORDER BY r.ordinal LIMIT ${loadCommandsMax}`,
};

/** An item as it was frozen. */
export interface FrozenItem extends IdentityPlace {
  readonly ordinal: number;
  readonly forecast: string;
  readonly program: string;
  readonly memberId: string;
  readonly operation: Operation;
  readonly purchaseId: string | null;
  readonly currency: string | null;
}

/** The frozen items in their order, as many at once as commands are opened. */
export async function* frozenItems(session: SqlSession, jobId: string): AsyncGenerator<readonly FrozenItem[]> {
  for (let after = 0, isMore = true; isMore;) {
    const { rows } = await session.query<FrozenItem>(listFrozenStatement, [jobId, after]);
    if (rows.length > 0) yield rows;
    isMore = rows.length === loadCommandsMax;
    after = rows.at(-1)?.ordinal ?? after;
  }
}

const foretellStatement: SqlStatement = {
  name: 'foretell_items',
  text: `
UPDATE job_item r SET forecast = f.forecast, detail = f.detail, state = CASE WHEN f.skipped THEN 'skipped' ELSE 'waiting' END
FROM unnest($2::int[], $3::text[], $4::text[], $5::boolean[]) AS f (ordinal, forecast, detail, skipped)
WHERE r.job_id = $1 AND r.ordinal = f.ordinal`,
};

export interface ItemForecast {
  readonly ordinal: number;
  readonly forecast: string;
  readonly detail?: string;
  /** Nothing is to be done about it. */
  readonly isSkipped?: boolean;
}

export async function foretell(session: SqlSession, jobId: string, items: readonly ItemForecast[]): Promise<void> {
  await session.query(foretellStatement, [
    jobId,
    int4Array(items.map(({ ordinal }) => ordinal)),
    items.map(({ forecast }) => forecast),
    items.map(({ detail }) => detail ?? null),
    items.map(({ isSkipped }) => isSkipped === true),
  ]);
}

/** What never changes of what was frozen. */
export async function sumItems(session: SqlSession, jobId: string): Promise<JobSelection> {
  const [selection] = (await session.query<JobSelection>(sumStatement, [jobId])).rows;
  if (selection === undefined) throw new Error('a count returned nothing');
  return selection;
}

async function insertParked(session: SqlSession, { jobId, query }: Freezing): Promise<number> {
  const { rowCount } = await session.query(freezeStatement, [jobId, ...selectedParts(query)]);
  if (rowCount === 0) throw new NotFrozenError('empty');
  if (rowCount > replayItemsMax) throw new NotFrozenError('too-many');
  return rowCount;
}

const nextReplayItemsStatement: SqlStatement = {
  name: 'next_job_items',
  text: `
SELECT r.ordinal, r.lane_id AS "laneId", r.seq, r.forecast, r.version, m.program_id AS program, m.member_id AS "memberId", o.operation, (
    SELECT count(*) FROM intent_event e WHERE e.lane_id = r.lane_id AND e.seq = r.seq AND e.type = 'IntentReplayed'
      AND e.data->>'by' <> 'loyaltyd'
  ) AS replays, EXISTS (
    SELECT FROM intent i WHERE i.lane_id = r.lane_id AND i.seq = r.seq AND ${isOver('$3::timestamptz')}
  ) AS "isOver"
FROM job_item r JOIN member m USING (lane_id) LEFT JOIN intent o USING (lane_id, seq)
WHERE r.job_id = $1 AND r.state = 'waiting' ORDER BY r.ordinal LIMIT $2::int`,
};

export interface NextItem {
  readonly ordinal: number;
  readonly laneId: number;
  readonly seq: number;
  readonly forecast: string;
  /** Of its last event when it was frozen; null: whatever has become of it. */
  readonly version: number | null;
  readonly program: string;
  readonly memberId: string;
  /** Null once it has left. */
  readonly operation: Operation | null;
  /** How often it was replayed before. */
  readonly replays: number;
  /** What it was good for is over. */
  readonly isOver: boolean;
}

/** The items that come next, in their order. */
export async function nextItems(
  database: Database,
  jobId: string,
  { limit, now }: { readonly limit: number; readonly now: number },
): Promise<NextItem[]> {
  return (await database.execute<NextItem>(nextReplayItemsStatement, [jobId, limit, timestamp(now)])).rows;
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
