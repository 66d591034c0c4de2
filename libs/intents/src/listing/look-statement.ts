import type { SqlStatement } from '#platform';

import { openInLane } from '../lanes/locked-lane.js';
import type { IntentFilter } from './listed-intent.js';

/** Where candidates are looked for: the fewer, the better. */
export type LookPlan = 'one' | 'purchase' | 'member' | 'standing' | 'newest';

/** Statuses that only `intent_standing` tells, and those that lanes tell. */
const toldByStandings: ReadonlySet<string> = new Set(['waiting', 'unknown', 'parked', 'cancelled']);

export function planOf({ laneId, purchaseId, memberId, status, reason, code, fingerprint }: IntentFilter): LookPlan {
  if (laneId !== undefined) return 'one';
  if (purchaseId !== undefined) return 'purchase';
  if (memberId !== undefined) return 'member';
  const isOfTrouble = reason !== undefined || code !== undefined || fingerprint !== undefined;
  const isTold = status === undefined ? isOfTrouble : toldByStandings.has(status);
  return isTold ? 'standing' : 'newest';
}

/**
 * Candidates looked at in one statement: few first, for most lists are full after them. The second bounds by how much a page
 * outlasts its time (list-intents.ts): 512 took up to 90 ms where their rows came from disk.
 */
export const lookSizes = [64, 192] as const;

const after = '(recorded_at, lane_id, seq) < ($1::timestamptz, $2::bigint, $3::int)';
const newestFirst = 'ORDER BY recorded_at DESC, lane_id DESC, seq DESC';

/**
 * A member in the program that is asked for, or in each: from one program to the next, as the index has them. Without a
 * program, Postgres before 18 reads the whole index for one member.
 */
const lanesOfMember = `WITH RECURSIVE program (id) AS (
      SELECT COALESCE($6, (SELECT min(program_id) FROM member))
      UNION ALL
      SELECT (SELECT min(program_id) FROM member WHERE program_id > id) FROM program WHERE id IS NOT NULL AND $6 IS NULL
    )
    SELECT m.lane_id FROM program
    CROSS JOIN LATERAL (SELECT lane_id FROM member WHERE program_id = id AND member_id = $5 OFFSET 0) m`;

/**
 * $1 to $3: the position before, $4: not recorded before, $5 and $6: what the plan looks for. A member's intents come in
 * the order of the lane, which needs no sorting however many there are.
 */
const candidates: Readonly<Record<LookPlan, string>> = {
  one: `SELECT recorded_at, lane_id, seq FROM intent
    WHERE ${after} AND recorded_at >= $4::timestamptz AND lane_id = $5::bigint AND seq = $6::int`,
  newest: `SELECT recorded_at, lane_id, seq FROM intent
    WHERE ${after} AND recorded_at >= $4::timestamptz AND $5::text IS NULL AND $6::text IS NULL ${newestFirst}`,
  standing: `SELECT recorded_at, lane_id, seq, status, reason, code, fingerprint, since FROM intent_standing
    WHERE ${after} AND recorded_at >= $4::timestamptz AND status = $5 AND $6::text IS NULL ${newestFirst}`,
  purchase: `SELECT recorded_at, lane_id, seq FROM intent
    WHERE ${after} AND recorded_at >= $4::timestamptz AND purchase_id = $5 AND $6::text IS NULL ${newestFirst}`,
  member: `SELECT recorded_at, lane_id, seq FROM intent
    WHERE lane_id = ANY (ARRAY(${lanesOfMember}))
      AND (lane_id, seq) < ($2::bigint, $3::int) AND $1::timestamptz IS NOT NULL AND $4::timestamptz IS NOT NULL
    ORDER BY lane_id DESC, seq DESC`,
};

const shownOrder: Readonly<Record<LookPlan, string>> = {
  one: newestFirst,
  newest: newestFirst,
  standing: newestFirst,
  purchase: newestFirst,
  member: 'ORDER BY lane_id DESC, seq DESC',
};

const statusOfLane = `COALESCE(s.status, CASE
    WHEN l.cur_seq = seq AND l.attempt_open THEN 'delivering'
    WHEN ${openInLane('seq')} THEN 'pending'
    ELSE 'delivered' END)`;

/** Where a candidate's status comes from: its standing has all of it, which saves the reads of its lane and of the standing. */
const fromStandings = { status: 's.status', from: 'candidate s JOIN intent i USING (lane_id, seq)' };
const fromLanes = {
  status: statusOfLane,
  from: `candidate c JOIN intent i USING (lane_id, seq) JOIN lane l USING (lane_id)
  LEFT JOIN intent_standing s USING (lane_id, seq)`,
};

function textOf(plan: LookPlan, size: number): string {
  const { status, from } = plan === 'standing' ? fromStandings : fromLanes;
  const order = shownOrder[plan].replace('recorded_at', 'i.recorded_at');
  return `
WITH candidate AS MATERIALIZED (${candidates[plan]} LIMIT ${size})
SELECT lane_id AS "laneId", seq, i.recorded_at AS "recordedAt", m.program_id AS program, m.member_id AS "memberId",
  i.operation, s.reason, s.code, s.fingerprint, s.since, i.occurred_at AS "occurredAt", i.event_type AS "eventType", i.source,
  i.store_id AS "storeId", i.purchase_id AS "purchaseId", i.amount_minor AS "amountMinor", i.currency, i.topic,
  i.partition, i.kafka_offset AS "offset", ${status} AS status
FROM ${from} JOIN member m USING (lane_id)
${order}`;
}

/** The limit stands literally in the text, as in the claim: as a parameter it misleads the planner. */
export function lookStatement(plan: LookPlan, size: (typeof lookSizes)[number]): SqlStatement {
  return { name: `list_intents_${plan}_${size}`, text: textOf(plan, size) };
}
