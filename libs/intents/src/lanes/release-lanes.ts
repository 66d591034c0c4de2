import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

const statement: SqlStatement = {
  name: 'release_lanes',
  text: `
WITH held AS MATERIALIZED (
  SELECT l.lane_id FROM lane l
  JOIN unnest($1::bigint[], $2::int[]) AS r (lane_id, epoch) ON r.lane_id = l.lane_id AND r.epoch = l.epoch
  WHERE NOT l.attempt_open AND l.owner = $4::uuid
  ORDER BY l.lane_id
  FOR NO KEY UPDATE OF l
)
UPDATE lane SET owner = NULL,
  due_at = CASE WHEN cur_seq <= tail_seq AND state <> 'blocked' THEN $3::timestamptz END
WHERE lane_id = ANY (ARRAY(SELECT lane_id FROM held))`,
};

/** Gives back leases of lanes in which nothing is open, so that others need not wait for the lease to end. */
export async function releaseLanes(
  database: Database,
  request: {
    readonly lanes: readonly { readonly laneId: number; readonly epoch: number }[];
    readonly owner: string;
    readonly now: number;
  },
): Promise<number> {
  const { rowCount } = await database.execute(statement, [
    request.lanes.map((lane) => lane.laneId),
    request.lanes.map((lane) => lane.epoch),
    timestamp(request.now),
    request.owner,
  ]);
  return rowCount;
}
