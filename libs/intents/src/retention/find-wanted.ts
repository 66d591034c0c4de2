import type { SqlSession, SqlStatement } from '#platform';

/** `w`: of a replay that may still send it; or a purchase whose refund is not settled. */
const statement: SqlStatement = {
  name: 'find_wanted_intents',
  text: `
SELECT i.lane_id AS "laneId", i.seq
FROM replay r JOIN replay_item i USING (replay_id)
WHERE r.state IN ('planned', 'running', 'paused', 'stopped') AND i.lane_id = ANY ($1::bigint[])
UNION
SELECT w.lane_id, w.waits_for_seq
FROM lane l JOIN intent w ON w.lane_id = l.lane_id AND w.seq >= l.head_seq
WHERE l.lane_id = ANY ($1::bigint[]) AND w.waits_for_seq IS NOT NULL
UNION
SELECT w.lane_id, w.waits_for_seq
FROM intent_standing s JOIN intent w USING (lane_id, seq)
WHERE s.lane_id = ANY ($1::bigint[]) AND s.status IN ('waiting', 'unknown', 'parked') AND w.waits_for_seq IS NOT NULL`,
};

/** Intents of these lanes that something refers to which is not over, by lane. */
export async function findWanted(
  session: Pick<SqlSession, 'query'>,
  laneIds: readonly number[],
): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const { rows } = await session.query<{ laneId: number; seq: number }>(statement, [laneIds]);
  const groups = Map.groupBy(rows, ({ laneId }) => laneId);
  return new Map([...groups].map(([laneId, group]) => [laneId, new Set(group.map(({ seq }) => seq))]));
}
