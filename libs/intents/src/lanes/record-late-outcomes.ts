import type { Database, SqlStatement } from '#platform';

import { attemptOf, clearData, timestamp } from '../events/stored-event.js';
import type { EventToAppend } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';

/** An outcome that came after its lane was taken over. `epoch` is the one the attempt was begun under. */
export interface LateOutcome extends EventToAppend {
  readonly laneId: number;
  readonly epoch: number;
}

const statement: SqlStatement = {
  name: 'record_late_outcomes',
  text: `
WITH late AS MATERIALIZED (
  SELECT l.lane_id, l.version + 1 AS version, r.seq, r.attempt, r.epoch, r.at, r.data, r.sealed
  FROM lane l
  JOIN unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::timestamptz[], $6::jsonb[], $7::bytea[])
    AS r (lane_id, seq, attempt, epoch, at, data, sealed) ON r.lane_id = l.lane_id
  WHERE NOT EXISTS (
    SELECT FROM intent_event e WHERE e.lane_id = r.lane_id AND e.seq = r.seq AND e.attempt = r.attempt
      AND e.epoch = r.epoch AND e.type = 'LateOutcome')
  ORDER BY l.lane_id
  FOR NO KEY UPDATE OF l
), bumped AS (
  UPDATE lane SET version = lane.version + 1, revision = lane.revision + 1
  FROM late WHERE lane.lane_id = late.lane_id
  RETURNING lane.lane_id
)
INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data, sealed)
SELECT lane_id, seq, version, attempt, epoch, 'LateOutcome', at, data, sealed FROM late
RETURNING lane_id`,
};

/**
 * Appends what fenced workers learned: their answer is knowledge even when the lane has gone on. Raises the revision, so
 * that the new owner's next begin is refused until it has read this. At most one per lane and call; repeating is safe.
 * @returns how many were appended
 */
export async function recordLateOutcomes(
  database: Database,
  outcomes: readonly LateOutcome[],
  keys: MemberKeys,
): Promise<number> {
  const { rowCount } = await database.execute(statement, [
    outcomes.map((outcome) => outcome.laneId),
    outcomes.map((outcome) => outcome.seq),
    outcomes.map((outcome) => attemptOf(outcome.event)),
    outcomes.map((outcome) => outcome.epoch),
    outcomes.map((outcome) => timestamp(outcome.event.at)),
    outcomes.map((outcome) => clearData(outcome.event)),
    outcomes.map((outcome) => (outcome.evidence === null ? null : keys.sealFor(outcome, outcome.evidence))),
  ]);
  return rowCount;
}
