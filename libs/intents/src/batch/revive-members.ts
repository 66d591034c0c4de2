import type { SqlSession, SqlStatement } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { BatchRaceError } from './batch-race-error.js';
import type { Member } from './find-members.js';

const statement: SqlStatement = {
  name: 'revive_members',
  text: `
WITH keyed AS (
  INSERT INTO member_key (lane_id, wrapped_key)
  SELECT lane_id, wrapped_key FROM unnest($1::bigint[], $2::bytea[]) AS w (lane_id, wrapped_key) ORDER BY lane_id
  ON CONFLICT DO NOTHING
  RETURNING lane_id
)
UPDATE member m SET generation = m.generation + 1 FROM keyed WHERE m.lane_id = keyed.lane_id`,
};

/**
 * Gives members who were erased and come back a new key and a new generation: what was sealed with the old key stays
 * closed for ever.
 * @throws {BatchRaceError} when another transaction did so meanwhile
 */
export async function reviveMembers(
  session: SqlSession,
  members: readonly Member[],
  keys: MemberKeys,
): Promise<Member[]> {
  if (members.length === 0) return [];
  const revived = members.map((member) => ({ member, ...keys.create(member.laneId) }));
  const { rowCount } = await session.query(statement, [
    revived.map(({ member }) => member.laneId),
    revived.map(({ wrapped }) => wrapped),
  ]);
  if (rowCount < members.length) throw new BatchRaceError('member');
  return revived.map(({ member, key }) => ({ ...member, key }));
}
