import type { SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { BatchRaceError } from './batch-race-error.js';
import type { Member, MemberName } from './find-members.js';

const insertMembers: SqlStatement = {
  name: 'insert_members',
  text: `
INSERT INTO member (program_id, member_id, created_at)
SELECT program_id, member_id, $3::timestamptz FROM unnest($1::text[], $2::text[]) AS w (program_id, member_id)
ORDER BY program_id, member_id
ON CONFLICT DO NOTHING
RETURNING lane_id, program_id, member_id, generation`,
};

const insertKeys: SqlStatement = {
  name: 'insert_member_keys',
  text: 'INSERT INTO member_key (lane_id, wrapped_key) SELECT * FROM unnest($1::bigint[], $2::bytea[])',
};

/**
 * Creates members with a data key each, in name order so that two batches cannot deadlock.
 * @throws {BatchRaceError} when another transaction created one of them meanwhile
 */
export async function createMembers(
  session: SqlSession,
  request: { readonly names: readonly MemberName[]; readonly now: number },
  keys: MemberKeys,
): Promise<Member[]> {
  const { names, now } = request;
  if (names.length === 0) return [];
  const { rows } = await session.query<{ lane_id: number; program_id: string; member_id: string; generation: number }>(
    insertMembers,
    [names.map((name) => name.program), names.map((name) => name.memberId), timestamp(now)],
  );
  if (rows.length < names.length) throw new BatchRaceError('member');
  const created = rows.map((row) => ({ row, ...keys.create(row.lane_id) }));
  await session.query(insertKeys, [created.map(({ row }) => row.lane_id), created.map(({ wrapped }) => wrapped)]);
  return created.map(({ row, key }) => ({
    laneId: row.lane_id,
    program: row.program_id,
    memberId: row.member_id,
    generation: row.generation,
    profile: null,
    enrolment: null,
    erasedSeq: 0,
    key,
  }));
}
