import type { Database, SqlSession, SqlStatement } from '#platform';

import { openInLane } from '../lanes/locked-lane.js';
import type { ReplayItemState } from './replay.js';

/** One at a time: two that settled the same items would wait for each other, or count them twice. */
const lockStatement: SqlStatement = {
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

async function settle(session: SqlSession, replayId: string): Promise<readonly SettledItem[]> {
  await session.query(lockStatement, [replayId]);
  const { rows } = await session.query<SettledItem>(settleStatement, [replayId]);
  if (rows.length === 0) return rows;
  const failed = rows.filter(({ state }) => state === 'parked');
  await session.query(countStatement, [replayId, ordinalsOf(rows), ordinalsOf(failed)]);
  return rows;
}

/** Notes what came of the items that were sent. @returns how many have come to which end */
export async function settleItems(database: Database, replayId: string): Promise<Map<ReplayItemState, number>> {
  const settled = await database.transaction('settle_replay_items', (session) => settle(session, replayId));
  const byState = Map.groupBy(settled, ({ state }) => state);
  return new Map([...byState].map(([state, { length }]) => [state, length]));
}
