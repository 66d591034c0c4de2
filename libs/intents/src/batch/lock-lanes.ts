import type { SqlSession, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'lock_lanes',
  text: 'SELECT lane_id FROM lane WHERE lane_id = ANY ($1::bigint[]) ORDER BY lane_id FOR NO KEY UPDATE',
};

/** Locks lanes in lane order, before something is decided on what they show. */
export async function lockLanes(session: SqlSession, laneIds: readonly number[]): Promise<void> {
  await session.query(statement, [laneIds]);
}
