import type { SqlSession, SqlStatement } from '#platform';

/**
 * Of a replay that may still send it; a purchase whose refund is not settled (`w`); and an opt-out behind the last enrolment:
 * while the member has not enrolled anew, it forbids that a card that is gone is issued again.
 */
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
WHERE s.lane_id = ANY ($1::bigint[]) AND s.status IN ('waiting', 'unknown', 'parked') AND w.waits_for_seq IS NOT NULL
UNION
SELECT o.lane_id, o.seq
FROM lane l JOIN intent o ON o.lane_id = l.lane_id AND o.seq > l.issue_seq
WHERE l.lane_id = ANY ($1::bigint[]) AND o.event_type LIKE '%loyalty.member.opted-out.v%'`,
};

/** Intents of these lanes that somebody will still ask for, by lane. */
export async function findWanted(
  session: Pick<SqlSession, 'query'>,
  laneIds: readonly number[],
): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const { rows } = await session.query<{ laneId: number; seq: number }>(statement, [laneIds]);
  const groups = Map.groupBy(rows, ({ laneId }) => laneId);
  return new Map([...groups].map(([laneId, group]) => [laneId, new Set(group.map(({ seq }) => seq))]));
}
