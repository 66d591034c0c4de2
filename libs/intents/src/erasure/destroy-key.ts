import type { SqlSession, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'destroy_key',
  text: `
WITH gone AS (DELETE FROM member_key WHERE lane_id = $1)
UPDATE member SET erased_seq = COALESCE((SELECT tail_seq FROM lane WHERE lane_id = $1), 0),
  profile_sequence = NULL, profile_at = NULL
WHERE lane_id = $1
RETURNING erased_seq`,
};

/**
 * Destroys a member's data key: whatever was sealed with it stays closed for ever (contracts.md section 7). Everything
 * recorded so far is erased; what comes later gets another key. The lane is locked.
 * @returns the last erased seq
 */
export async function destroyKey(session: SqlSession, laneId: number): Promise<number> {
  const { rows } = await session.query<{ erased_seq: number }>(statement, [laneId]);
  return rows[0]?.erased_seq ?? 0;
}
