import { openInLane, timestamp, within } from '#intents';
import type { Database, SqlSession, SqlStatement } from '#platform';

import type { Replay, ReplayItemState } from './replay-store.js';
import { countReplayItems, replayColumns } from './replay-store.js';

/** Replays that one process carries on in a turn. */
export const replaysLeasedMax = 4;
/** A process that is gone loses its replays after so long. */
export const replayLeaseMs = 10_000;

const leaseReplaysStatement: SqlStatement = {
  name: 'lease_replays',
  text: `
UPDATE replay SET owner = $1::uuid, leased_until = $3::timestamptz, turn_at = $2::timestamptz
WHERE replay_id IN (
  SELECT replay_id FROM replay
  WHERE state = 'running' AND (owner IS NULL OR owner = $1::uuid OR leased_until < $2::timestamptz)
  ORDER BY turn_at NULLS FIRST, created_at, replay_id LIMIT ${replaysLeasedMax} FOR UPDATE SKIP LOCKED)
RETURNING ${replayColumns}`,
};

/**
 * Takes, or keeps, the running replays that nobody else works on and that have waited longest for a turn: those that
 * cannot go on keep nobody from it.
 */
export async function leaseReplays(
  database: Database,
  { owner, now }: { readonly owner: string; readonly now: number },
): Promise<Replay[]> {
  const parameters = [owner, timestamp(now), timestamp(now + replayLeaseMs)];
  return (await database.execute<Replay>(leaseReplaysStatement, parameters)).rows;
}

const nextReplayItemsStatement: SqlStatement = {
  name: 'next_replay_items',
  text: `
SELECT r.ordinal, r.lane_id AS "laneId", r.seq, (
    SELECT count(*) FROM intent_event e WHERE e.lane_id = r.lane_id AND e.seq = r.seq AND e.type = 'IntentReplayed'
      AND e.data->>'by' <> 'loyaltyd'
  ) AS replays
FROM replay_item r WHERE r.replay_id = $1 AND r.state = 'waiting' ORDER BY r.ordinal LIMIT $2::int`,
};

export interface NextItem {
  readonly ordinal: number;
  readonly laneId: number;
  readonly seq: number;
  /** How often it was replayed before. */
  readonly replays: number;
}

/** The items that come next, in their order. */
export async function nextItems(database: Database, replayId: string, limit: number): Promise<NextItem[]> {
  return (await database.execute<NextItem>(nextReplayItemsStatement, [replayId, limit])).rows;
}

const isReplayItemHeldUpStatement: SqlStatement = {
  name: 'is_replay_item_held_up',
  text: `
SELECT FROM lane l WHERE l.lane_id = $2 AND l.state = 'blocked' AND NOT EXISTS (
  SELECT FROM replay_item b
  WHERE b.replay_id = $1 AND b.lane_id = l.lane_id AND b.seq = l.cur_seq AND b.state = 'waiting')`,
};

/** Whether a lane is blocked by an intent that this replay does not put back, too. The lane is locked. */
export async function isHeldUp(
  session: SqlSession,
  { replayId, laneId }: { readonly replayId: string; readonly laneId: number },
): Promise<boolean> {
  return (await session.query(isReplayItemHeldUpStatement, [replayId, laneId])).rowCount > 0;
}

/** One at a time: two that settled the same items would wait for each other, or count them twice. */
const lockReplayStatement: SqlStatement = {
  name: 'lock_replay',
  text: 'SELECT FROM replay WHERE replay_id = $1 FOR NO KEY UPDATE',
  isRead: true,
};

/** What came of the items that were sent: told by how their intents stand. */
const settleStatement: SqlStatement = {
  name: 'settle_replay_items',
  text: `
UPDATE replay_item r SET state = CASE WHEN s.status IN ('parked', 'cancelled') THEN s.status ELSE 'delivered' END,
  detail = CASE s.status WHEN 'parked' THEN concat_ws(' ', s.reason, s.code) END
FROM replay_item q JOIN lane l USING (lane_id) LEFT JOIN intent_standing s USING (lane_id, seq)
WHERE q.replay_id = $1 AND q.state = 'sent' AND r.replay_id = q.replay_id AND r.ordinal = q.ordinal
  AND (s.status IN ('parked', 'cancelled', 'delivered')
    OR s.status IS NULL AND NOT (l.cur_seq = q.seq AND l.attempt_open)
      AND NOT ${openInLane('q.seq')})
RETURNING r.state, r.ordinal`,
};

/** Those from before the canary began are none of its business. */
const countStatement: SqlStatement = {
  name: 'count_settled_items',
  text: `
UPDATE replay SET settled = settled + (SELECT count(*) FROM unnest($2::int[]) AS o WHERE o > canary_from),
  failed = failed + (SELECT count(*) FROM unnest($3::int[]) AS o WHERE o > canary_from)
WHERE replay_id = $1`,
};

interface SettledItem {
  readonly state: ReplayItemState;
  readonly ordinal: number;
}

const ordinalsOf = (items: readonly SettledItem[]): number[] => items.map(({ ordinal }) => ordinal);

async function settleWithin(session: SqlSession, replayId: string): Promise<readonly SettledItem[]> {
  await session.query(lockReplayStatement, [replayId]);
  const { rows } = await session.query<SettledItem>(settleStatement, [replayId]);
  if (rows.length === 0) return rows;
  const failed = rows.filter(({ state }) => state === 'parked');
  await session.query(countStatement, [replayId, ordinalsOf(rows), ordinalsOf(failed)]);
  return rows;
}

/** Notes what came of the items that were sent. @returns how many have come to which end */
export async function settleItems(database: Database, replayId: string): Promise<Map<ReplayItemState, number>> {
  const settled = await database.transaction('settle_replay_items', (session) => settleWithin(session, replayId));
  const byState = Map.groupBy(settled, ({ state }) => state);
  return new Map([...byState].map(([state, { length }]) => [state, length]));
}

/**
 * However many items have come to an end: those are counted when they do. What was put back into a lane that is blocked
 * since stands still until somebody mends what blocks it: nobody waits for that.
 */
const countReplayProgressStatement: SqlStatement = {
  name: 'count_replay_progress',
  text: `
SELECT EXISTS (SELECT FROM replay_item w WHERE w.replay_id = r.replay_id AND w.state = 'waiting') AS "isWaiting",
  u.items AS "underWay", r.settled + u.begun AS begun, r.settled, r.failed
FROM replay r CROSS JOIN LATERAL (
  SELECT count(*) AS items, count(*) FILTER (WHERE i.ordinal > r.canary_from) AS begun
  FROM replay_item i JOIN lane l USING (lane_id)
  WHERE i.replay_id = r.replay_id AND i.state = 'sent' AND l.state <> 'blocked') u
WHERE r.replay_id = $1`,
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

export async function countProgress(database: Database, replayId: string): Promise<ReplayProgress> {
  const [row] = (await database.execute<ReplayProgress>(countReplayProgressStatement, [replayId])).rows;
  if (row === undefined) throw new Error('a count returned nothing');
  return row;
}

const endReplayStatement: SqlStatement = {
  name: 'end_replay',
  text: `
UPDATE replay SET state = $2, stopped_because = $3, finished_at = CASE WHEN $2 = 'done' THEN $4::timestamptz END,
  owner = NULL, leased_until = NULL
WHERE replay_id = $1 AND state = 'running'`,
};

/** A replay has come to its end, or its canary stops it. */
export async function endReplay(
  database: Database,
  end: { readonly replayId: string; readonly because: string | null; readonly now: number },
): Promise<void> {
  const { replayId, because, now } = end;
  await database.execute(endReplayStatement, [
    replayId,
    because === null ? 'done' : 'stopped',
    because,
    timestamp(now),
  ]);
}

/** Inactive replays that are settled in one turn, at most. */
const inactiveReplaysMax = 20;
/** How often one of them is checked, over all processes. */
export const inactivePollMs = 2_000;

const leaseInactiveStatement: SqlStatement = {
  name: 'lease_resting_replays',
  text: `
UPDATE replay SET leased_until = $2::timestamptz
WHERE replay_id IN (
  SELECT replay_id FROM replay
  WHERE counts IS NULL AND state <> 'running' AND (leased_until IS NULL OR leased_until <= $1::timestamptz)
  ORDER BY leased_until NULLS FIRST, replay_id LIMIT ${inactiveReplaysMax} FOR UPDATE SKIP LOCKED)
RETURNING replay_id AS "replayId"`,
};

/** Leases replays that send nothing now while sent items may still settle; the longest-waiting first. */
export async function leaseInactive(database: Database, now: number): Promise<readonly string[]> {
  const parameters = [timestamp(now), timestamp(now + inactivePollMs)];
  const { rows } = await database.execute<{ replayId: string }>(leaseInactiveStatement, parameters);
  return rows.map(({ replayId }) => replayId);
}

/** Whoever lets it go on, or cancels it, waits: what is counted afterwards stays so. */
const lockInactiveStatement: SqlStatement = {
  name: 'lock_resting_replay',
  text: `
SELECT FROM replay WHERE replay_id = $1 AND state <> 'running' AND counts IS NULL
  AND NOT EXISTS (SELECT FROM replay_item i WHERE i.replay_id = $1 AND i.state = 'sent')
FOR NO KEY UPDATE`,
  isRead: true,
};

const keepStatement: SqlStatement = {
  name: 'keep_replay_counts',
  text: 'UPDATE replay SET counts = $2::jsonb, leased_until = NULL WHERE replay_id = $1',
};

async function keepCountsWithin(session: SqlSession, replayId: string): Promise<void> {
  const { rowCount } = await session.query(lockInactiveStatement, [replayId]);
  if (rowCount === 0) return;
  const counts = (await countReplayItems(within(session), [{ replayId, counts: null }])).get(replayId);
  // Sent while the lock was waited for.
  if (counts === undefined || counts.byState.sent !== undefined) return;
  await session.query(keepStatement, [replayId, JSON.stringify(counts)]);
}

/** Keeps the counts of a replay of which nothing moves any more, so that nobody counts its items again. */
export async function keepCounts(database: Database, replayId: string): Promise<void> {
  await database.transaction('keep_replay_counts', (session) => keepCountsWithin(session, replayId));
}
