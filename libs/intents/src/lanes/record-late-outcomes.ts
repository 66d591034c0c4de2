import type { Database, SqlStatement } from '#platform';

import { lockLanes } from '../batch/lock-lanes.js';
import { attemptOf, clearData, timestamp } from '../events/stored-event.js';
import type { EventToAppend } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';

/** An outcome that came after its lane was taken over. `epoch` is the one the attempt was begun under. */
export interface LateOutcome extends EventToAppend {
  readonly laneId: number;
  readonly epoch: number;
  /** The member's unwrapped key, as the lane was claimed with it. */
  readonly key: Uint8Array | null;
}

const statement: SqlStatement = {
  name: 'record_late_outcomes',
  text: `
WITH late AS MATERIALIZED (
  SELECT r.*, row_number() OVER (PARTITION BY r.lane_id ORDER BY r.epoch, r.seq, r.attempt) AS rank
  FROM (
    SELECT DISTINCT ON (lane_id, seq, attempt, epoch) *
    FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::timestamptz[], $6::jsonb[], $7::bytea[])
      AS w (lane_id, seq, attempt, epoch, at, data, sealed)
  ) r
  WHERE NOT EXISTS (
    SELECT FROM intent_event e WHERE e.lane_id = r.lane_id AND e.seq = r.seq AND e.attempt = r.attempt
      AND e.epoch = r.epoch AND e.type = 'LateOutcome')
), bumped AS (
  UPDATE lane SET version = version + added.count, revision = revision + 1
  FROM (SELECT lane_id, count(*)::int AS count FROM late GROUP BY lane_id) added
  WHERE lane.lane_id = added.lane_id
  RETURNING lane.lane_id, lane.version - added.count AS old_version
)
INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data, sealed)
SELECT late.lane_id, seq, old_version + rank, attempt, epoch, 'LateOutcome', at, data, sealed
FROM late JOIN bumped USING (lane_id)`,
};

/**
 * Appends what fenced workers learned: their answer is knowledge even when the lane has gone on. Raises the revision, so
 * that the new owner's next begin is refused until it has read this. Repeating is safe, also at the same time: the lanes
 * are locked before the statement looks for what is there already.
 * @returns how many were appended
 */
export async function recordLateOutcomes(
  database: Database,
  outcomes: readonly LateOutcome[],
  keys: MemberKeys,
): Promise<number> {
  const parameters = [
    outcomes.map((outcome) => outcome.laneId),
    outcomes.map((outcome) => outcome.seq),
    outcomes.map((outcome) => attemptOf(outcome.event)),
    outcomes.map((outcome) => outcome.epoch),
    outcomes.map((outcome) => timestamp(outcome.event.at)),
    outcomes.map((outcome) => clearData(outcome.event)),
    outcomes.map((outcome) =>
      outcome.evidence === null || outcome.key === null ? null : keys.sealFor(outcome, outcome.evidence),
    ),
  ];
  const laneIds = outcomes.map((outcome) => outcome.laneId);
  return database.transaction('record_late_outcomes', async (session) => {
    await lockLanes(session, laneIds);
    return (await session.query(statement, parameters)).rowCount;
  });
}
