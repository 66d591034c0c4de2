import type { MoneyView } from '#contracts';
import type { Operation } from '#domain';
import type { ActingRole, AuditContext } from '#intents';
import { isUnprovenAnswer, recordAction, timestamp, within } from '#intents';
import type { Database, SqlSession, SqlStatement } from '#platform';

/** Intents in one replay, at most. */
export const replayItemsMax = 100_000;

export type ReplayState = 'planned' | 'running' | 'paused' | 'stopped' | 'cancelled' | 'done';

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

export interface ReplayCounts {
  readonly byState: Readonly<Partial<Record<ReplayItemState, number>>>;
  readonly byForecast: Readonly<Partial<Record<Forecast, number>>>;
}

export interface Replay {
  readonly replayId: string;
  readonly query: ReplayFilter;
  readonly reason: string;
  readonly ratePerSecond: number;
  /** One, then ten, then the rest; stops by itself when they fail again. */
  readonly isCanary: boolean;
  /** Also what was replayed often without success. */
  readonly isForced: boolean;
  readonly canaryFrom: number;
  /** Of what was sent since its canary began: come to an end, and parked again. */
  readonly settled: number;
  readonly failed: number;
  readonly state: ReplayState;
  readonly stoppedBecause: string | null;
  readonly money: readonly MoneyView[];
  /** Whose intents they are; null of old ones. */
  readonly members: number | null;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly createdBy: string;
  /** What starting, resuming or cancelling it takes: the role of who planned it, or the higher one of who started it. */
  readonly needsRole: ActingRole;
  /** Who had it sent, when and why; null of a dry run that nobody has started. */
  readonly startedAt: number | null;
  readonly startedBy: string | null;
  readonly startReason: string | null;
  readonly finishedAt: number | null;
  /** Null while items move: they are to be counted. */
  readonly counts: ReplayCounts | null;
}

/** SQL: the columns of a `Replay`. */
export const replayColumns = `replay_id AS "replayId", query, reason, rate_per_second AS "ratePerSecond",
  is_canary AS "isCanary", is_forced AS "isForced", canary_from AS "canaryFrom", settled, failed, state,
  stopped_because AS "stoppedBecause", money, members, created_at AS "createdAt", created_by AS "createdBy", COALESCE(needs_role, 'admin') AS "needsRole",
  started_at AS "startedAt", started_by AS "startedBy", start_reason AS "startReason", finished_at AS "finishedAt", counts`;

export interface NewReplay {
  /** The caller's own id: asking again with it changes nothing. */
  readonly replayId: string;
  readonly query: ReplayFilter;
  readonly ratePerSecond: number;
  readonly isCanary: boolean;
  readonly isForced: boolean;
  /** Nothing is sent until somebody starts it. */
  readonly isDryRun: boolean;
  readonly audit: AuditContext;
  /** In which role it is asked for; absent: to start, resume or cancel it takes an admin. */
  readonly role?: ActingRole;
}

export type CreateReplayResult =
  | { readonly kind: 'created' | 'known'; readonly replay: Replay }
  | { readonly kind: 'empty' }
  | { readonly kind: 'too-many' };

const insertStatement: SqlStatement = {
  name: 'insert_replay',
  text: `
INSERT INTO replay (replay_id, query, reason, rate_per_second, is_canary, is_forced, state, money, created_at, created_by,
  started_at, started_by, start_reason, needs_role)
VALUES ($1, $2::jsonb, $3, $4::float8, $5, $6, $7, '[]', $8::timestamptz, $9,
  CASE $7 WHEN 'running' THEN $8::timestamptz END, CASE $7 WHEN 'running' THEN $9 END, CASE $7 WHEN 'running' THEN $3 END,
  $10)
ON CONFLICT (replay_id) DO NOTHING
RETURNING replay_id`,
};

/** SQL: whether somebody has asked to take a parked intent (`s`) back. */
const isTakenBack = `EXISTS (SELECT FROM intent_event e
        WHERE e.lane_id = s.lane_id AND e.seq = s.seq AND e.type = 'CancelRequested')`;

/** A lane's items stay together, in the order of the lane. */
const freezeStatement: SqlStatement = {
  name: 'freeze_replay',
  text: `
INSERT INTO replay_item (replay_id, ordinal, lane_id, seq, forecast, overtaken)
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
  text: `
UPDATE replay SET members = (SELECT count(DISTINCT lane_id) FROM replay_item WHERE replay_id = $1), money = COALESCE((
  SELECT jsonb_agg(jsonb_build_object('currency', currency, 'minor', trunc(amount * 10::numeric ^ scale(amount)),
    'digits', scale(amount)) ORDER BY currency)
  FROM (SELECT currency, sum(amount) AS amount FROM replay_item JOIN intent USING (lane_id, seq)
    WHERE replay_id = $1 AND amount IS NOT NULL AND currency IS NOT NULL GROUP BY currency) sums), '[]')
WHERE replay_id = $1
RETURNING ${replayColumns}`,
};

/** Undoes the transaction of a replay that selects nothing, or too much. */
class NotFrozenError extends Error {
  override readonly name = 'NotFrozenError';

  constructor(readonly kind: 'empty' | 'too-many') {
    super(`a replay was not frozen: ${kind}`);
  }
}

async function freeze(session: SqlSession, { replayId, query }: NewReplay): Promise<number> {
  const { program, operation, reason, code, fingerprint, memberId, source, store, purchaseId, from, to } = query;
  const parts = [program, operation, reason, code, fingerprint, memberId, source, store, purchaseId];
  const { rowCount } = await session.query(freezeStatement, [
    replayId,
    ...parts.map((part) => part ?? null),
    from === undefined ? '-infinity' : timestamp(from),
    to === undefined ? 'infinity' : timestamp(to),
    query.seq ?? null,
    query.q ?? null,
  ]);
  if (rowCount === 0) throw new NotFrozenError('empty');
  if (rowCount > replayItemsMax) throw new NotFrozenError('too-many');
  return rowCount;
}

async function create(session: SqlSession, request: NewReplay): Promise<CreateReplayResult> {
  const { replayId, query, ratePerSecond, isCanary, isForced, isDryRun, audit, role = null } = request;
  const { rowCount } = await session.query(insertStatement, [
    replayId,
    JSON.stringify(query),
    audit.reason,
    ratePerSecond,
    isCanary,
    isForced,
    isDryRun ? 'planned' : 'running',
    timestamp(audit.at),
    audit.actor,
    role,
  ]);
  if (rowCount === 0) {
    const known = await findReplay(within(session), replayId);
    return known === null ? { kind: 'empty' } : { kind: 'known', replay: known };
  }
  const items = await freeze(session, request);
  const [replay] = (await session.query<Replay>(sumStatement, [replayId])).rows;
  if (replay === undefined) throw new Error('a replay vanished while it was made');
  const detail = { replay: replayId, items, query };
  await recordAction(session, { audit, action: isDryRun ? 'replay.plan' : 'replay.start', place: null, detail });
  return { kind: 'created', replay };
}

/** Freezes what is parked now and fits the query, and lets it be sent again. With a known id nothing is changed. */
export async function createReplay(database: Database, request: NewReplay): Promise<CreateReplayResult> {
  try {
    return await database.transaction('create_replay', (session) => create(session, request));
  } catch (error) {
    if (error instanceof NotFrozenError) return { kind: error.kind };
    throw error;
  }
}

interface ReplayStart {
  readonly replayId: string;
  /** Null: as the dry run has it. */
  readonly ratePerSecond: number | null;
  readonly isCanary: boolean | null;
  /** From now on every intent that is put back says so. */
  readonly audit: AuditContext;
  readonly role: ActingRole;
}

const startReplayStatement: SqlStatement = {
  name: 'start_replay',
  text: `
UPDATE replay SET state = 'running', rate_per_second = COALESCE($2::float8, rate_per_second),
  is_canary = COALESCE($3::boolean, is_canary), started_at = $4::timestamptz, started_by = $5, start_reason = $6,
  needs_role = $7, owner = NULL, leased_until = NULL, counts = NULL
WHERE replay_id = $1 AND state = 'planned' AND ($7 = 'admin' OR needs_role = 'operator')
RETURNING ${replayColumns}`,
};

/** Lets a dry run be sent; null where it is none, or none any more, or where this takes another role. */
export async function startReplay(database: Database, request: ReplayStart): Promise<Replay | null> {
  const { replayId, ratePerSecond, isCanary, audit, role } = request;
  return database.transaction('start_replay', async (session) => {
    const parameters = [replayId, ratePerSecond, isCanary, timestamp(audit.at), audit.actor, audit.reason, role];
    const [replay] = (await session.query<Replay>(startReplayStatement, parameters)).rows;
    if (replay === undefined) return null;
    const detail = { replay: replayId, ratePerSecond: replay.ratePerSecond, canary: replay.isCanary };
    await recordAction(session, { audit, action: 'replay.start', place: null, detail });
    return replay;
  });
}

export type ReplaySteering = 'pause' | 'resume' | 'cancel';

const from: Readonly<Record<ReplaySteering, readonly ReplayState[]>> = {
  pause: ['running'],
  resume: ['paused', 'stopped'],
  cancel: ['planned', 'running', 'paused', 'stopped'],
};

const to: Readonly<Record<ReplaySteering, ReplayState>> = { pause: 'paused', resume: 'running', cancel: 'cancelled' };

/** SQL: what its canary stopped begins with a new one where somebody lets it go on. */
const isNewCanary = `(state = 'stopped' AND $2 = 'running')`;

const steerStatement: SqlStatement = {
  name: 'steer_replay',
  text: `
UPDATE replay SET state = $2, stopped_because = NULL, owner = NULL, leased_until = NULL, counts = NULL,
  canary_from = CASE WHEN ${isNewCanary}
    THEN (SELECT COALESCE(max(ordinal), 0) FROM replay_item i
      WHERE i.replay_id = replay.replay_id AND i.state <> 'waiting')
    ELSE canary_from END,
  settled = CASE WHEN ${isNewCanary} THEN 0 ELSE settled END,
  failed = CASE WHEN ${isNewCanary} THEN 0 ELSE failed END,
  finished_at = CASE WHEN $2 = 'cancelled' THEN $4::timestamptz END
WHERE replay_id = $1 AND state = ANY ($3::text[]) AND ($5::boolean OR needs_role = 'operator')
RETURNING ${replayColumns}`,
};

const skipStatement: SqlStatement = {
  name: 'skip_replay_items',
  text: `UPDATE replay_item SET state = 'skipped' WHERE replay_id = $1 AND state = 'waiting'`,
};

interface ReplaySteered {
  readonly replayId: string;
  readonly steering: ReplaySteering;
  readonly audit: AuditContext;
  /** Of who says so: all but a pause may take an admin. */
  readonly role: ActingRole;
}

/**
 * Steers a replay for an operator; null where its state does not allow it, or the role does not. What was sent stays
 * sent.
 */
export async function steerReplay(
  database: Database,
  { replayId, steering, audit, role }: ReplaySteered,
): Promise<Replay | null> {
  const mayAlways = steering === 'pause' || role === 'admin';
  return database.transaction('steer_replay', async (session) => {
    const parameters = [replayId, to[steering], from[steering], timestamp(audit.at), mayAlways];
    const [replay] = (await session.query<Replay>(steerStatement, parameters)).rows;
    if (replay === undefined) return null;
    if (steering === 'cancel') await session.query(skipStatement, [replayId]);
    await recordAction(session, { audit, action: `replay.${steering}`, place: null, detail: { replay: replayId } });
    return replay;
  });
}

const findReplayStatement: SqlStatement = {
  name: 'find_replay',
  text: `SELECT ${replayColumns} FROM replay WHERE replay_id = $1`,
};

/** Null where there is none of that id. */
export async function findReplay(database: Pick<Database, 'execute'>, replayId: string): Promise<Replay | null> {
  return (await database.execute<Replay>(findReplayStatement, [replayId])).rows[0] ?? null;
}

/** Replays that are shown, the newest first. */
const replaysMax = 200;

const listReplaysStatement: SqlStatement = {
  name: 'list_replays',
  text: `
SELECT ${replayColumns} FROM replay WHERE $1::text[] IS NULL OR query->>'program' = ANY ($1::text[])
ORDER BY created_at DESC, replay_id LIMIT ${replaysMax}`,
};

/** @param programs only replays that select nothing of others; null: all */
export async function listReplays(database: Database, programs: readonly string[] | null): Promise<Replay[]> {
  return (await database.execute<Replay>(listReplaysStatement, [programs])).rows;
}

/** Replays that are shown, the newest first. */
const openReplaysMax = 50;

const listOpenReplaysStatement: SqlStatement = {
  name: 'list_open_replays',
  text: `
SELECT ${replayColumns} FROM replay WHERE state IN ('running', 'paused', 'stopped')
ORDER BY created_at DESC, replay_id LIMIT ${openReplaysMax}`,
};

/** Replays that run, or would go on if somebody let them. */
export async function listOpenReplays(database: Database): Promise<Replay[]> {
  return (await database.execute<Replay>(listOpenReplaysStatement)).rows;
}

const listReplayItemsStatement: SqlStatement = {
  name: 'list_replay_items',
  text: `
SELECT r.ordinal, r.lane_id AS "laneId", m.program_id AS program, m.member_id AS "memberId", r.seq, r.forecast, r.overtaken, r.state,
  CASE WHEN r.state = 'sent' AND l.state = 'blocked' THEN 'lane-blocked' ELSE r.detail END AS detail, r.sent_at AS "sentAt",
  i.operation, i.amount, i.currency, i.purchase_id AS "purchaseId", i.store_id AS "storeId"
FROM replay_item r JOIN member m USING (lane_id) JOIN lane l USING (lane_id) LEFT JOIN intent i USING (lane_id, seq)
WHERE r.replay_id = $1 AND r.ordinal > $2::int AND ($3::text IS NULL OR r.state = $3)
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
  query: { readonly replayId: string; readonly after: number; readonly state: string | null; readonly limit: number },
): Promise<ReplayItem[]> {
  const { replayId, after, state, limit } = query;
  return (await database.execute<ReplayItem>(listReplayItemsStatement, [replayId, after, state, limit])).rows;
}

const countReplayItemsStatement: SqlStatement = {
  name: 'count_replay_items',
  text: `
SELECT replay_id AS "replayId", state, forecast, count(*) AS items
FROM replay_item WHERE replay_id = ANY ($1::text[]) GROUP BY 1, 2, 3`,
};

interface CountRow {
  readonly replayId: string;
  readonly state: ReplayItemState;
  readonly forecast: Forecast;
  readonly items: number;
}

function sumBy<K extends string>(rows: readonly CountRow[], keyOf: (row: CountRow) => K): Partial<Record<K, number>> {
  const sums: Partial<Record<K, number>> = {};
  for (const row of rows) sums[keyOf(row)] = (sums[keyOf(row)] ?? 0) + row.items;
  return sums;
}

async function countThese(
  database: Pick<Database, 'execute'>,
  replayIds: readonly string[],
): Promise<Map<string, readonly CountRow[]>> {
  if (replayIds.length === 0) return new Map();
  const { rows } = await database.execute<CountRow>(countReplayItemsStatement, [replayIds]);
  return Map.groupBy(rows, ({ replayId }) => replayId);
}

/** How far each of these replays is. Only items of those that still move are counted. */
export async function countReplayItems(
  database: Pick<Database, 'execute'>,
  replays: readonly Pick<Replay, 'replayId' | 'counts'>[],
): Promise<Map<string, ReplayCounts>> {
  const moving = replays.filter(({ counts }) => counts === null).map(({ replayId }) => replayId);
  const rowsOf = await countThese(database, moving);
  return new Map(
    replays.map(({ replayId, counts }) => {
      const own = rowsOf.get(replayId) ?? [];
      const taken = { byState: sumBy(own, ({ state }) => state), byForecast: sumBy(own, (row) => row.forecast) };
      return [replayId, counts ?? taken];
    }),
  );
}
