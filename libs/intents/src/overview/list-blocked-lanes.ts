import type { Operation, ParkedReason } from '#domain';
import type { Database, SqlStatement } from '#platform';

/** Lanes in one page. */
export const blockedLanesPageMax = 1_000;

const statement: SqlStatement = {
  name: 'list_blocked_lanes',
  text: `
SELECT l.lane_id AS "laneId", l.program_id AS program, m.member_id AS "memberId", l.cur_seq AS seq, i.operation,
  p.data->>'reason' AS reason, p.at AS "blockedSince", l.tail_seq - l.cur_seq AS behind
FROM lane l
JOIN member m ON m.lane_id = l.lane_id
JOIN intent i ON i.lane_id = l.lane_id AND i.seq = l.cur_seq
JOIN LATERAL (
  SELECT data, at FROM intent_event e
  WHERE e.lane_id = l.lane_id AND e.seq = l.cur_seq AND e.type = 'IntentParked'
  ORDER BY version DESC LIMIT 1
) p ON true
WHERE l.state = 'blocked' AND l.lane_id > $1 AND ($2::text IS NULL OR l.program_id = $2)
ORDER BY l.lane_id LIMIT ${blockedLanesPageMax}`,
};

/** A lane that stands still until a person acts. */
export interface BlockedLane {
  readonly laneId: number;
  readonly program: string;
  readonly memberId: string;
  /** The parked intent that holds it. */
  readonly seq: number;
  readonly operation: Operation;
  readonly reason: ParkedReason;
  /** Epoch milliseconds. */
  readonly blockedSince: number;
  /** Recorded intents that wait behind it. */
  readonly behind: number;
}

/** One page of blocked lanes in lane order, after the given one (0 to begin). */
export async function listBlockedLanes(
  database: Database,
  request: { readonly after: number; readonly program: string | null },
): Promise<readonly BlockedLane[]> {
  return (await database.execute<BlockedLane>(statement, [request.after, request.program])).rows;
}
