import type { IdentityPlace } from '#domain';
import { laneDetoursMax } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'find_queued',
  text: `
SELECT i.seq FROM lane l JOIN intent i ON i.lane_id = l.lane_id AND i.seq >= l.head_seq AND i.seq <> ALL (l.ahead)
WHERE l.lane_id = $1 ORDER BY i.seq LIMIT ${laneDetoursMax}`,
};

/** What is queued in a lane, the first `laneDetoursMax`. */
export async function findQueued(session: SqlSession, laneId: number): Promise<IdentityPlace[]> {
  const { rows } = await session.query<{ seq: number }>(statement, [laneId]);
  return rows.map(({ seq }) => ({ laneId, seq }));
}
