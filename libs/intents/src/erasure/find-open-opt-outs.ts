import type { IdentityPlace } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import { openInLane } from '../lanes/open-in-lane.js';
import { isOptOut } from './opt-outs.js';

const statement: SqlStatement = {
  name: 'find_open_opt_outs',
  text: `
SELECT i.lane_id AS "laneId", i.seq FROM lane l JOIN intent i ON i.lane_id = l.lane_id AND ${openInLane('i.seq')}
WHERE l.lane_id = $1 AND ${isOptOut('i')} AND NOT EXISTS (
  SELECT FROM intent_standing s
  WHERE s.lane_id = i.lane_id AND s.seq = i.seq AND s.status IN ('parked', 'cancelled', 'delivered'))
ORDER BY i.seq`,
};

/** The intents of a lane that have still to tell the partner that the member has left. The lane is locked. */
export async function findOpenOptOuts(session: SqlSession, laneId: number): Promise<readonly IdentityPlace[]> {
  return (await session.query<{ laneId: number; seq: number }>(statement, [laneId])).rows;
}
