import type { LaneCursor } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

const statement: SqlStatement = {
  name: 'move_lane',
  text: `
UPDATE lane SET cur_seq = $2, redo = $3::int[], ahead = $4::int[],
  attempt = CASE WHEN cur_seq = $2 THEN attempt ELSE 0 END,
  state = CASE WHEN cur_seq = $2 THEN state ELSE 'live' END,
  due_at = CASE WHEN owner IS NULL AND state <> 'blocked' AND $2 <= tail_seq THEN LEAST(due_at, $5::timestamptz)
    ELSE due_at END
WHERE lane_id = $1`,
};

/**
 * Puts a lane where an operator's word has moved it. The lane is locked. It becomes due at once, unless it is blocked or
 * somebody holds it: whoever does sees the raised revision.
 */
export async function moveLane(
  session: SqlSession,
  move: { readonly laneId: number; readonly cursor: LaneCursor; readonly now: number },
): Promise<void> {
  const { laneId, cursor, now } = move;
  await session.query(statement, [laneId, cursor.current, [...cursor.redo], [...cursor.ahead], timestamp(now)]);
}
