import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

/** Recordings looked through at once. */
const looksMax = 1_000;

/** Where a look through the recordings, oldest first, goes on. */
export interface RecordingPlace {
  /** As Postgres writes it: cut to milliseconds it would be found again and again. */
  readonly recordedAt: string;
  readonly laneId: number;
  readonly seq: number;
}

export const oldestRecording: RecordingPlace = { recordedAt: '-infinity', laneId: 0, seq: 0 };

/** Most of what stays is seen here already: last enrolments, and what needs a person. */
const statement: SqlStatement = {
  name: 'find_leaving_lanes',
  text: `
WITH looked AS MATERIALIZED (
  SELECT recorded_at, lane_id, seq FROM intent
  WHERE recorded_at < $1::timestamptz AND (recorded_at, lane_id, seq) > ($2::timestamptz, $3::bigint, $4::int)
  ORDER BY recorded_at, lane_id, seq LIMIT ${looksMax}
)
SELECT l.recorded_at::text AS "recordedAt", l.lane_id AS "laneId", l.seq,
  l.seq < lane.head_seq AND l.seq IS DISTINCT FROM lane.issue_seq
    AND COALESCE(s.status, 'delivered') IN ('delivered', 'cancelled') AS "mayLeave"
FROM looked l JOIN lane USING (lane_id) LEFT JOIN intent_standing s ON s.lane_id = l.lane_id AND s.seq = l.seq
ORDER BY l.recorded_at, l.lane_id, l.seq`,
};

/** Lanes of which something may be old enough to leave, each at its first such recording, and where to look next; null at the end. */
export async function findLeavingLanes(
  database: Database,
  before: number,
  after: RecordingPlace,
): Promise<{ readonly firsts: readonly RecordingPlace[]; readonly next: RecordingPlace | null }> {
  const { rows } = await database.execute<RecordingPlace & { readonly mayLeave: boolean }>(statement, [
    timestamp(before),
    after.recordedAt,
    after.laneId,
    after.seq,
  ]);
  const leaving = rows.filter(({ mayLeave }) => mayLeave);
  const firsts = Map.groupBy(leaving, ({ laneId }) => laneId).values();
  return { firsts: [...firsts].flatMap(([first]) => first ?? []), next: rows.at(-1) ?? null };
}
