import type { SqlStatement } from '#platform';

import { isOptOut } from '../erasure/opt-outs.js';
import { forgottenBefore } from '../recovery/forgotten-before.js';

/** Lanes taken by one claim, at most. */
export const claimLanesMax = 512;
/** Intents of one lane loaded with a claim: a hot lane sends several under one lease. */
export const claimIntentsPerLaneMax = 16;

const statements = new Map<number, SqlStatement>();

/**
 * The claim for a given limit. The limit stands literally in the text: as a bound parameter the planner assumed a
 * fraction of the table and the same claim took 270 ms instead of 1.7 ms (measured, design.md section 4). Limits are
 * rounded down to powers of two, so that few statements exist.
 */
export function claimStatement(limit: number): SqlStatement {
  const bounded = 2 ** Math.floor(Math.log2(Math.min(claimLanesMax, Math.max(1, limit))));
  const known = statements.get(bounded);
  if (known !== undefined) return known;
  const statement: SqlStatement = { name: `claim_lanes_${bounded}`, text: claimText(bounded) };
  statements.set(bounded, statement);
  return statement;
}

/**
 * SQL: whether an opt-out of a lane (`c`) finds nothing before it that may have made a pass: neither does the lane know of
 * one, nor is there an enrolment or update that was not cancelled. Looked up for opt-outs alone.
 */
const leavesUnissued = `(c.pass <> 'known' AND ${isOptOut('i')} AND NOT EXISTS (
    SELECT FROM intent p WHERE p.lane_id = c.lane_id AND p.seq < i.seq AND p.operation NOT IN ('transaction', 'reward')
      AND NOT EXISTS (SELECT FROM intent_standing s
        WHERE s.lane_id = p.lane_id AND s.seq = p.seq AND s.status = 'cancelled')))`;

function claimText(limit: number): string {
  return `
WITH due AS MATERIALIZED (
  SELECT lane_id, due_at FROM lane
  WHERE program_id = $1 AND due_at <= $2::timestamptz AND due_at >= $3::timestamptz
  ORDER BY due_at LIMIT ${limit}
  FOR NO KEY UPDATE SKIP LOCKED
), claimed AS (
  UPDATE lane SET due_at = $4::timestamptz, epoch = epoch + 1, owner = $5::uuid
  WHERE lane_id = ANY (ARRAY(SELECT lane_id FROM due))
  RETURNING lane_id, epoch, revision, head_seq, tail_seq, cur_seq, attempt, attempt_open, open_since, redo, ahead,
    pass, state
)
SELECT c.*, m.member_id, k.wrapped_key, i.seq, i.operation,
  CASE WHEN i.seq > m.erased_seq THEN i.payload END AS payload, i.recorded_at, i.broker_at, i.waits_for_seq,
  ${forgottenBefore('i')} AS forgotten_before, ${leavesUnissued} AS leaves_unissued,
  (SELECT min(due_at) FROM due) AS first_due_at
FROM claimed c
JOIN member m ON m.lane_id = c.lane_id
LEFT JOIN member_key k ON k.lane_id = c.lane_id
LEFT JOIN LATERAL (
  SELECT seq, operation, event_type, payload, recorded_at, broker_at, waits_for_seq FROM intent
  WHERE intent.lane_id = c.lane_id
    AND (intent.seq = c.cur_seq
      OR (intent.seq >= c.head_seq AND intent.seq < c.head_seq + ${claimIntentsPerLaneMax}))
  OFFSET 0
) i ON true`;
}
