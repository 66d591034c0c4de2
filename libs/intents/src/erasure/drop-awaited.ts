import type { SqlSession, SqlStatement } from '#platform';

const statement: SqlStatement = { name: 'drop_awaited_erasure', text: 'DELETE FROM erasure WHERE lane_id = $1' };

/** The key that an erasure waited for is gone already. The lane is locked. */
export async function dropAwaited(session: SqlSession, laneId: number): Promise<void> {
  await session.query(statement, [laneId]);
}
