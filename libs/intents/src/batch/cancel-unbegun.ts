import type { SqlSession, SqlStatement } from '#platform';

import { clearData, timestamp } from '../events/stored-event.js';
import { isOptOut } from '../erasure/opt-outs.js';
import { openInLane } from '../lanes/open-in-lane.js';
import { forgottenBefore } from '../recovery/forgotten-before.js';

/**
 * Cancels at once everything queued to which nothing has happened yet: there may be tens of thousands of them. What
 * `appendByOthers` does for one event is done here for all: versions stay dense, the revision rises, a current intent
 * makes its lane due.
 */
const statement: SqlStatement = {
  name: 'cancel_unbegun',
  text: `
WITH queued AS MATERIALIZED (
  SELECT i.seq, row_number() OVER (ORDER BY i.seq)::int AS rank
  FROM lane l JOIN intent i ON i.lane_id = l.lane_id
    AND ${openInLane('i.seq')}
  WHERE l.lane_id = $1
    AND NOT EXISTS (SELECT FROM intent_event e WHERE e.lane_id = i.lane_id AND e.seq = i.seq)
    AND NOT ($4::boolean AND ${isOptOut('i')})
    AND ${forgottenBefore('i')} IS NULL
), bumped AS (
  UPDATE lane SET version = version + added.count, revision = revision + 1,
    state = CASE WHEN added.has_current THEN 'live' ELSE state END,
    due_at = CASE WHEN added.has_current AND owner IS NULL THEN $2::timestamptz ELSE due_at END
  FROM (SELECT count(*)::int AS count, COALESCE(bool_or(q.seq = l.cur_seq), false) AS has_current
    FROM queued q JOIN lane l ON l.lane_id = $1) added
  WHERE lane_id = $1 AND added.count > 0
  RETURNING version - added.count AS version, epoch
)
INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data)
SELECT $1, q.seq, b.version + q.rank, 0, b.epoch, 'IntentCancelled', $2::timestamptz, $3::jsonb
FROM queued q CROSS JOIN bumped b ORDER BY q.seq`,
};

export interface CancelUnbegun {
  readonly laneId: number;
  readonly now: number;
  /** Who cancels, and why: kept in the events. */
  readonly by: string;
  readonly reason: string;
  /** What tells the partner that the member has left stays queued. */
  readonly sparesOptOuts: boolean;
}

/** The lane is locked. @returns how many were cancelled */
export async function cancelUnbegun(session: SqlSession, request: CancelUnbegun): Promise<number> {
  const { laneId, now, by, reason, sparesOptOuts } = request;
  const data = clearData({ type: 'IntentCancelled', at: now, by, reason });
  return (await session.query(statement, [laneId, timestamp(now), data, sparesOptOuts])).rowCount;
}
