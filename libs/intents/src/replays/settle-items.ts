import type { Database, SqlStatement } from '#platform';

import { openInLane } from '../lanes/open-in-lane.js';
import type { ReplayItemState } from './replay.js';

/** What came of the items that were sent: told by how their intents stand. */
const statement: SqlStatement = {
  name: 'settle_replay_items',
  text: `
UPDATE replay_item r SET state = CASE WHEN s.status IN ('parked', 'cancelled') THEN s.status ELSE 'delivered' END,
  detail = CASE s.status WHEN 'parked' THEN concat_ws(' ', s.reason, s.code) END
FROM replay_item q JOIN lane l USING (lane_id) LEFT JOIN intent_standing s USING (lane_id, seq)
WHERE q.replay_id = $1 AND q.state = 'sent' AND r.replay_id = q.replay_id AND r.ordinal = q.ordinal
  AND (s.status IN ('parked', 'cancelled', 'delivered')
    OR s.status IS NULL AND NOT (l.cur_seq = q.seq AND l.attempt_open)
      AND NOT ${openInLane('q.seq')})
RETURNING r.state`,
};

/** Notes what came of the items that were sent. @returns how many have come to which end */
export async function settleItems(database: Database, replayId: string): Promise<Map<ReplayItemState, number>> {
  const { rows } = await database.execute<{ state: ReplayItemState }>(statement, [replayId]);
  const byState = Map.groupBy(rows, ({ state }) => state);
  return new Map([...byState].map(([state, { length }]) => [state, length]));
}
