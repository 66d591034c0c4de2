import type { SqlStatement } from '#platform';

import { isOptOut } from '../events/opt-outs.js';
import { operationList } from '../events/transition-sql.js';
import { isFenced } from '../ownership/ownership.js';
import { isMoving } from '../passes/forget-passes.js';
import { forgottenBefore } from '../recovery/recovery.js';
import { heldSaleBefore, isGrant } from './locked-lane.js';
import { isAwaited, takesBack } from './receipt-account.js';

/** Lanes taken by one claim, at most. */
export const claimLanesMax = 512;
/** Intents of one lane loaded with a claim: a hot lane sends several under one lease. */
export const claimIntentsPerLaneMax = 16;

const statements = new Map<number, SqlStatement>();

export const boundedLimit = (limit: number): number =>
  2 ** Math.floor(Math.log2(Math.min(claimLanesMax, Math.max(1, limit))));

/**
 * The claim for a given limit. The limit stands literally in the text: as a bound parameter the planner assumed a
 * fraction of the table and the same claim took 270 ms instead of 1.7 ms (measured). Limits are
 * rounded down to powers of two, so that few statements exist.
 */
export function claimStatement(limit: number): SqlStatement {
  const bounded = boundedLimit(limit);
  const known = statements.get(bounded);
  if (known !== undefined) return known;
  const statement: SqlStatement = { name: `claim_lanes_${bounded}`, text: claimText(bounded) };
  statements.set(bounded, statement);
  return statement;
}

/** SQL: whether before an intent (`i`) of a lane (`c`) there is an enrolment that was not cancelled: it may have made a pass. */
const hasEnrolmentBefore = `EXISTS (SELECT FROM intent p WHERE p.lane_id = c.lane_id AND p.seq < i.seq
      AND p.operation IN (${operationList('makes')}) AND NOT EXISTS (SELECT FROM intent_standing s
        WHERE s.lane_id = p.lane_id AND s.seq = p.seq AND s.status = 'cancelled'))`;

/** SQL: whether it changes a pass that nothing can have made as far as the lane knows. Looked up for these alone. */
const neverEnrolled = `(c.pass <> 'known' AND i.operation IN (${operationList('changes')})
    AND NOT ${hasEnrolmentBefore})`;

/** SQL: whether it is an enrolment behind another one, whatever the lane knows of a pass now. */
const followsEnrolment = `(i.operation IN (${operationList('makes')}) AND ${hasEnrolmentBefore})`;

/** SQL: whether its member is erased once it is settled. Looked up for opt-outs alone. */
const isErasing = `(c.pass <> 'known' AND ${isOptOut('i')} AND EXISTS (
    SELECT FROM erasure r WHERE r.lane_id = c.lane_id AND i.seq <= r.until_seq))`;

/**
 * An intent as it is claimed, by two ranges of the index; the second is seldom looked at. As one condition with OR they are a bitmap, whose pages
 * Postgres 18 has read by workers: 3.6 us of Postgres more for an intent, 10 us where its page is not at hand (measured).
 */
const intentColumns =
  'seq, operation, event_type, payload, programs_hash, recorded_at, broker_at, waits_for_seq, waits_for_key, store_id, source, receipt';

/** SQL: whether a lane's next intent has lived through nothing. */
const isNew = `attempt = 0 AND NOT attempt_open AND revision = 0 AND state = 'live'`;

/**
 * SQL: the due lanes of the priority that is the `nth` to be asked for, as far as those before it leave room. The inner limit is for
 * the planner; the outer one takes, and locks, no more than it says. `is_new`: its next intent has lived through nothing.
 */
function dueOf(nth: number, limit: number, taken: string): string {
  return `SELECT * FROM (SELECT lane_id, due_at, priority, cur_seq AS next_seq, pass AS known_pass,
      ${isNew} AS is_new FROM lane
    WHERE program_id = $1 AND priority = ($6::int[])[${nth}] AND due_at <= $2::timestamptz AND due_at >= ($3::timestamptz[])[${nth}]
      AND NOT ${isMoving('$1')} AND NOT ${isFenced}
    ORDER BY due_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED) l LIMIT ${limit} - ${taken}`;
}

/**
 * SQL: whether the next intent (`i`) of a lane (`c`) can be begun before anybody has read it: nothing is asked, waited for or planned
 * anew for it. Whether its operation is one of which this may be so says who claims.
 */
const needsNoLook = `i.operation = ANY ($8::text[]) AND i.seq > m.erased_seq
    AND i.waits_for_seq IS NULL AND i.waits_for_key IS NULL AND ($7::bytea IS NULL OR i.programs_hash = $7)
    AND CASE WHEN i.operation IN (${operationList('makes')}) THEN c.known_pass <> 'known' AND NOT ${hasEnrolmentBefore}
      ELSE c.known_pass = 'known' END
    AND ${forgottenBefore('i')} IS NULL AND EXISTS (SELECT FROM member_key k WHERE k.lane_id = c.lane_id)`;

/** What both ways to lanes bring of each of them, its intents and their member. @param hash of the programs file, a parameter */
function openedText(hash: string): string {
  return `
SELECT c.*, m.member_id, k.wrapped_key, i.seq, i.operation,
  CASE WHEN i.seq > m.erased_seq THEN i.payload END AS payload, i.recorded_at, i.broker_at, i.waits_for_seq,
  i.waits_for_key, i.event_type, i.store_id, i.source, i.programs_hash,
  ${forgottenBefore('i')} AS forgotten_before, ${neverEnrolled} AS never_enrolled,
  ${followsEnrolment} AS follows_enrolment, ${isOptOut('i')} AS opts_out, ${isErasing} AS is_erasing,
  ${takesBack('i')} AS takes_back, ${isGrant('i')} AS is_grant, ${isAwaited('i')} AS is_awaited,
  ${heldSaleBefore('i', 'c.lane_id')} AS held_sale,
  CASE WHEN i.operation IN (${operationList('makes')}) AND i.programs_hash <> ${hash}::bytea THEN m.profile_marks END AS profile_marks
FROM claimed c
JOIN member m ON m.lane_id = c.lane_id
LEFT JOIN member_key k ON k.lane_id = c.lane_id
LEFT JOIN LATERAL (
  SELECT ${intentColumns} FROM intent
  WHERE intent.lane_id = c.lane_id AND intent.seq >= c.head_seq AND intent.seq < c.head_seq + ${claimIntentsPerLaneMax}
  UNION ALL
  SELECT ${intentColumns} FROM intent
  WHERE intent.lane_id = c.lane_id AND intent.seq = c.cur_seq
    AND (c.cur_seq < c.head_seq OR c.cur_seq >= c.head_seq + ${claimIntentsPerLaneMax})
) i ON true`;
}

const laneColumns =
  'lane_id, epoch, revision, head_seq, tail_seq, cur_seq, attempt, attempt_open, open_since, redo, ahead, pass, state';
const ofLane = laneColumns.replaceAll(/\w+/g, 'lane.$&');

/**
 * `begun` are those whose first attempt begins with the lease: of what was locked, so that nothing has come in between. Lanes and
 * intents are found by their keys whatever the planner knows of their tables: a young one has no statistics.
 */
function claimText(limit: number): string {
  return `
WITH first AS MATERIALIZED (${dueOf(1, limit, '0')}), second AS MATERIALIZED (
  ${dueOf(2, limit, '(SELECT count(*) FROM first)')}
), third AS MATERIALIZED (
  ${dueOf(3, limit, '(SELECT count(*) FROM first) - (SELECT count(*) FROM second)')}
), due AS MATERIALIZED (
  SELECT * FROM first UNION ALL SELECT * FROM second UNION ALL SELECT * FROM third
), begun AS MATERIALIZED (
  SELECT c.lane_id FROM due c CROSS JOIN LATERAL (
    SELECT FROM member m JOIN intent i ON i.lane_id = m.lane_id
    WHERE m.lane_id = c.lane_id AND i.seq = c.next_seq AND ${needsNoLook} OFFSET 0) n
  WHERE c.is_new
  ORDER BY array_position($6::int[], c.priority), c.due_at LIMIT $9::int
), claimed AS (
  UPDATE lane SET due_at = $4::timestamptz, epoch = lane.epoch + 1, owner = $5::uuid,
    attempt = CASE WHEN b.lane_id IS NULL THEN lane.attempt ELSE 1 END,
    attempt_open = lane.attempt_open OR b.lane_id IS NOT NULL,
    open_since = CASE WHEN b.lane_id IS NULL THEN lane.open_since ELSE $2::timestamptz END,
    open_version = CASE WHEN b.lane_id IS NULL THEN lane.open_version ELSE lane.version + 1 END,
    open_epoch = CASE WHEN b.lane_id IS NULL THEN lane.open_epoch ELSE lane.epoch + 1 END,
    version = lane.version + CASE WHEN b.lane_id IS NULL THEN 0 ELSE 1 END
  FROM due d LEFT JOIN begun b ON b.lane_id = d.lane_id
  WHERE lane.lane_id = d.lane_id AND lane.lane_id = ANY (ARRAY(SELECT lane_id FROM due))
  RETURNING ${ofLane}, d.due_at AS was_due_at, lane.priority, b.lane_id IS NOT NULL AS is_begun
)${openedText('$7')}`;
}

/**
 * Leases, of the lanes that this transaction has added to, those whose next intent needs no look, and begins it. They are locked already:
 * nobody is waited for. Parameters as the claim's, but $3: the lanes.
 */
export const claimRecordedStatement: SqlStatement = {
  name: 'claim_recorded',
  text: `
WITH due AS MATERIALIZED (
  SELECT lane_id, due_at, cur_seq AS next_seq, pass AS known_pass FROM lane
  WHERE lane_id = ANY ($3::bigint[]) AND program_id = $1 AND due_at <= $2::timestamptz AND ${isNew}
    AND NOT ${isMoving('$1')} AND NOT ${isFenced}
), begun AS MATERIALIZED (
  SELECT c.lane_id, c.due_at FROM due c CROSS JOIN LATERAL (
    SELECT FROM member m JOIN intent i ON i.lane_id = m.lane_id
    WHERE m.lane_id = c.lane_id AND i.seq = c.next_seq AND ${needsNoLook} OFFSET 0) n
  LIMIT $6::int
), claimed AS (
  UPDATE lane SET due_at = $4::timestamptz, epoch = lane.epoch + 1, owner = $5::uuid, attempt = 1, attempt_open = true,
    open_since = $2::timestamptz, open_version = lane.version + 1, open_epoch = lane.epoch + 1, version = lane.version + 1
  FROM begun d
  WHERE lane.lane_id = d.lane_id AND lane.lane_id = ANY (ARRAY(SELECT lane_id FROM begun))
  RETURNING ${ofLane}, d.due_at AS was_due_at, lane.priority, true AS is_begun
)${openedText('$7')}`,
};

/**
 * What a claim has begun that was not answered, by whom and until when it leased it: no other claim, and no lease that is renewed, ends
 * then. Nobody else can have the lanes, and nothing has been sent for them.
 */
export const findBegunStatement: SqlStatement = {
  name: 'find_begun_lanes',
  text: `
WITH claimed AS MATERIALIZED (
  SELECT ${laneColumns}, due_at AS was_due_at, priority, true AS is_begun FROM lane
  WHERE program_id = $1 AND priority = ANY ('{0,1,2}') AND due_at = $2::timestamptz AND owner = $3::uuid
    AND attempt_open AND attempt = 1 AND open_epoch = epoch AND open_version = version AND revision = 0 AND NOT ${isFenced}
)${openedText('$4')}`,
};
