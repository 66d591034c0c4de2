import type { EventPosition } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';

const statement: SqlStatement = {
  name: 'find_members',
  isRead: true,
  text: `
SELECT m.lane_id, m.program_id, m.member_id, m.generation, m.profile_sequence, m.profile_at,
  m.enrolment_key, m.enrolment_mac, m.erased_seq, k.wrapped_key
FROM unnest($1::text[], $2::text[]) AS w (program_id, member_id)
JOIN member m ON m.program_id = w.program_id AND m.member_id = w.member_id
LEFT JOIN member_key k ON k.lane_id = m.lane_id`,
};

/** A program's member by its outside names. */
export interface MemberName {
  readonly program: string;
  readonly memberId: string;
}

/** What an enrolment said that changed what the first one of its generation said. */
export interface LastEnrolment {
  /** Its business key, which is the first one's. */
  readonly key: Buffer;
  readonly contentMac: Buffer;
}

export interface Member extends MemberName {
  readonly laneId: number;
  readonly generation: number;
  /** Where the last accepted update stands; null before the first. */
  readonly profile: EventPosition | null;
  /** The last enrolment that was taken after the first one, perhaps of an earlier generation; null: there was none. */
  readonly enrolment: LastEnrolment | null;
  /** Everything up to here is erased. */
  readonly erasedSeq: number;
  /** Unwrapped; null for a member that was erased and has not come back yet. */
  readonly key: Uint8Array | null;
}

interface MemberRow {
  readonly lane_id: number;
  readonly program_id: string;
  readonly member_id: string;
  readonly generation: number;
  readonly profile_sequence: string | null;
  readonly profile_at: number | null;
  readonly enrolment_key: Buffer | null;
  readonly enrolment_mac: Buffer | null;
  readonly erased_seq: number;
  readonly wrapped_key: Buffer | null;
}

/** One text per member, for maps. */
export function memberKey(name: MemberName): string {
  return `${name.program}\u0000${name.memberId}`;
}

function standingOf(row: MemberRow, keys: MemberKeys): Omit<Member, keyof MemberName> {
  const { lane_id: laneId, profile_sequence: sequence, profile_at: timeMs, erased_seq: erasedSeq } = row;
  const { enrolment_key: enrolmentKey, enrolment_mac: contentMac } = row;
  const key = row.wrapped_key === null ? null : keys.learn(laneId, row.wrapped_key);
  if (key === null) keys.forget(laneId);
  return {
    laneId,
    // Who comes back is a new one (contracts.md section 1, Identity).
    generation: key === null ? row.generation + 1 : row.generation,
    profile: timeMs === null ? null : { sequence, timeMs },
    enrolment: enrolmentKey === null || contentMac === null ? null : { key: enrolmentKey, contentMac },
    erasedSeq,
    key,
  };
}

/** The members that exist, by `memberKey`, with their keys. */
export async function findMembers(
  session: SqlSession,
  names: readonly MemberName[],
  keys: MemberKeys,
): Promise<Map<string, Member>> {
  const { rows } = await session.query<MemberRow>(statement, [
    names.map((name) => name.program),
    names.map((name) => name.memberId),
  ]);
  const members = new Map<string, Member>();
  for (const row of rows) {
    const name = { program: row.program_id, memberId: row.member_id };
    members.set(memberKey(name), { ...name, ...standingOf(row, keys) });
  }
  return members;
}
