import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

/** Lanes looked through at once, and those of them that are handed on. */
const unseenWindowMax = 5_000;
export const unseenMax = 50;

const statement: SqlStatement = {
  name: 'list_unseen',
  text: `
WITH span AS MATERIALIZED (
  SELECT lane_id, program_id, pass, issue_seq FROM lane WHERE lane_id > $2 ORDER BY lane_id LIMIT ${unseenWindowMax}
), unseen AS MATERIALIZED (
  SELECT s.lane_id, s.issue_seq FROM span s
  WHERE s.program_id = $1 AND s.pass = 'known' AND NOT EXISTS (
    SELECT FROM reconciliation_seen r WHERE r.reconciliation_id = $3::int AND r.lane_id = s.lane_id)
  ORDER BY s.lane_id LIMIT ${unseenMax}
)
SELECT (SELECT max(lane_id) FROM span) AS "windowEnd", u.lane_id AS "laneId", u.issue_seq AS "enrolmentSeq",
  m.member_id AS "memberId", k.lane_id IS NULL AS "isErased",
  COALESCE((SELECT max(e.at) FROM intent_event e WHERE e.lane_id = u.lane_id AND e.seq IN (0, u.issue_seq)) > $4::timestamptz,
    m.created_at > $4::timestamptz) AS "isNew"
FROM (SELECT 1) one
LEFT JOIN unseen u ON true
LEFT JOIN member m ON m.lane_id = u.lane_id
LEFT JOIN member_key k ON k.lane_id = u.lane_id
ORDER BY u.lane_id`,
};

/** A member whose pass we know and the listing did not show. */
export interface UnseenMember {
  readonly laneId: number;
  readonly memberId: string;
  /** The last enrolment's place; null where we have none. */
  readonly enrolmentSeq: number | null;
  /** We know of the pass since `since` only: the listing may have turned its page before, or not have shown it yet. */
  readonly isNew: boolean;
  readonly isErased: boolean;
}

interface Row extends Omit<UnseenMember, 'laneId'> {
  /** Null where nothing is left. */
  readonly windowEnd: number | null;
  /** Null in the only row of a window in which all were seen. */
  readonly laneId: number | null;
}

export interface UnseenWindow {
  readonly members: readonly UnseenMember[];
  /** The lane after which the next window begins; null: there is none. */
  readonly next: number | null;
}

export interface UnseenQuery {
  readonly reconciliationId: number;
  readonly program: string;
  /** 0 to begin. */
  readonly afterLane: number;
  /** Epoch ms. */
  readonly since: number;
}

/** Those of the next lanes whose pass we know and the listing did not show, in lane order. */
export async function listUnseen(database: Database, query: UnseenQuery): Promise<UnseenWindow> {
  const { program, afterLane, reconciliationId, since } = query;
  const { rows } = await database.execute<Row>(statement, [program, afterLane, reconciliationId, timestamp(since)]);
  const members = rows.flatMap(({ windowEnd: _end, laneId, ...member }) =>
    laneId === null ? [] : [{ laneId, ...member }],
  );
  const end = rows[0]?.windowEnd ?? null;
  return { members, next: members.length < unseenMax ? end : (members.at(-1)?.laneId ?? end) };
}
