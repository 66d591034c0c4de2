import type { EventPosition } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'find_members',
  text: `
SELECT m.lane_id, m.program_id, m.member_id, m.generation, m.profile_sequence, m.profile_at, k.wrapped_key
FROM unnest($1::text[], $2::text[]) AS w (program_id, member_id)
JOIN member m ON m.program_id = w.program_id AND m.member_id = w.member_id
LEFT JOIN member_key k ON k.lane_id = m.lane_id`,
};

/** A program's member by its outside names. */
export interface MemberName {
  readonly program: string;
  readonly memberId: string;
}

export interface Member extends MemberName {
  readonly laneId: number;
  readonly generation: number;
  /** Where the last accepted update stands; null before the first. */
  readonly profile: EventPosition | null;
}

interface MemberRow {
  readonly lane_id: number;
  readonly program_id: string;
  readonly member_id: string;
  readonly generation: number;
  readonly profile_sequence: string | null;
  readonly profile_at: number | null;
  readonly wrapped_key: Buffer | null;
}

/** One text per member, for maps. */
export function memberKey(name: MemberName): string {
  return `${name.program}\u0000${name.memberId}`;
}

/** The members that exist, by `memberKey`; `onKey` receives each wrapped data key. */
export async function findMembers(
  session: SqlSession,
  names: readonly MemberName[],
  onKey: (laneId: number, wrapped: Uint8Array) => void,
): Promise<Map<string, Member>> {
  const { rows } = await session.query<MemberRow>(statement, [
    names.map((name) => name.program),
    names.map((name) => name.memberId),
  ]);
  const members = new Map<string, Member>();
  for (const row of rows) {
    if (row.wrapped_key !== null) onKey(row.lane_id, row.wrapped_key);
    const name = { program: row.program_id, memberId: row.member_id };
    const { lane_id: laneId, generation, profile_sequence: sequence, profile_at: timeMs } = row;
    const profile = timeMs === null ? null : { sequence, timeMs };
    members.set(memberKey(name), { ...name, laneId, generation, profile });
  }
  return members;
}
