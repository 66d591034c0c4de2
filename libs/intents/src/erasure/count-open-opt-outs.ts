import type { SqlSession, SqlStatement } from '#platform';

import { openInLane } from '../lanes/open-in-lane.js';
import { isOptOut } from './opt-outs.js';

const statement: SqlStatement = {
  name: 'count_open_opt_outs',
  text: `
SELECT count(*)::int AS count FROM lane l JOIN intent i ON i.lane_id = l.lane_id AND ${openInLane('i.seq')}
WHERE l.lane_id = $1 AND ${isOptOut('i')} AND NOT EXISTS (
  SELECT FROM intent_standing s
  WHERE s.lane_id = i.lane_id AND s.seq = i.seq AND s.status IN ('parked', 'cancelled', 'delivered'))`,
};

/** How many intents of a lane have still to tell the partner that the member has left. The lane is locked. */
export async function countOpenOptOuts(session: SqlSession, laneId: number): Promise<number> {
  return (await session.query<{ count: number }>(statement, [laneId])).rows[0]?.count ?? 0;
}
