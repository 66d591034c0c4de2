import type { Database, SqlStatement } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { openInLane } from '../lanes/locked-lane.js';

/** How a member's last enrolment stands; `none`: we have none. */
export type EnrolmentStanding = 'none' | 'waiting' | 'pending' | 'unknown' | 'delivered' | 'parked' | 'cancelled';

/** What we know of a member whom the partner's listing names. */
export interface MatchedMember {
  readonly memberId: string;
  readonly laneId: number;
  readonly generation: number;
  /** Unwrapped; null once it is destroyed. */
  readonly key: Uint8Array | null;
  /** An erasure has been asked for. */
  readonly isLeaving: boolean;
  readonly pass: 'unknown' | 'absent' | 'known';
  readonly enrolment: EnrolmentStanding;
  /** The last enrolment's place in its lane; 0 where there is none. */
  readonly enrolmentSeq: number;
  /** Nothing is left to be sent. */
  readonly isIdle: boolean;
}

const statement: SqlStatement = {
  name: 'match_members',
  text: `
SELECT m.member_id AS "memberId", m.lane_id AS "laneId", m.generation, k.wrapped_key AS "wrappedKey",
  e.lane_id IS NOT NULL AS "isLeaving", COALESCE(l.pass, 'unknown') AS pass,
  COALESCE(l.issue_seq, 0) AS "enrolmentSeq", COALESCE(l.cur_seq > l.tail_seq, true) AS "isIdle",
  CASE WHEN l.issue_seq IS NULL THEN 'none' WHEN s.status IS NOT NULL THEN s.status
    WHEN ${openInLane('l.issue_seq')} THEN 'pending' ELSE 'delivered' END AS enrolment
FROM unnest($2::text[]) AS w (member_id)
JOIN member m ON m.program_id = $1 AND m.member_id = w.member_id
LEFT JOIN member_key k ON k.lane_id = m.lane_id
LEFT JOIN erasure e ON e.lane_id = m.lane_id
LEFT JOIN lane l ON l.lane_id = m.lane_id
LEFT JOIN intent_standing s ON s.lane_id = m.lane_id AND s.seq = l.issue_seq`,
};

type Row = Omit<MatchedMember, 'key'> & { readonly wrappedKey: Buffer | null };

/** The program's members of these ids, those that exist, by id. */
export async function matchMembers(
  database: Pick<Database, 'execute'>,
  of: { readonly program: string; readonly memberIds: readonly string[] },
  keys: MemberKeys,
): Promise<Map<string, MatchedMember>> {
  const { rows } = await database.execute<Row>(statement, [of.program, of.memberIds]);
  return new Map(
    rows.map(({ wrappedKey, ...member }) => {
      const key = wrappedKey === null ? null : keys.learn(member.laneId, wrappedKey);
      return [member.memberId, { ...member, key }];
    }),
  );
}
