import type { SqlSession, SqlStatement } from '#platform';

/** Noted in lane order; of those noted before it tells the earlier mark. */
const statement: SqlStatement = {
  name: 'note_seen',
  text: `
WITH listed AS MATERIALIZED (
  SELECT lane_id, mark FROM unnest($2::bigint[], $3::int[]) AS w (lane_id, mark)
), noted AS (
  INSERT INTO reconciliation_seen (lane_id, reconciliation_id, mark)
  SELECT lane_id, $1::int, mark FROM listed ORDER BY lane_id
  ON CONFLICT (reconciliation_id, lane_id) DO NOTHING
  RETURNING lane_id
)
SELECT s.lane_id AS "laneId", s.mark FROM listed l JOIN reconciliation_seen s
  ON s.reconciliation_id = $1::int AND s.lane_id = l.lane_id
WHERE NOT EXISTS (SELECT FROM noted n WHERE n.lane_id = l.lane_id)`,
};

/** A member whose pass the listing shows. `mark`: a part of a digest of what names the pass. */
export interface SeenMember {
  readonly laneId: number;
  readonly mark: number;
}

/** Remembers who was seen at the partner, each lane once. @returns those seen before, as they were seen then */
export async function noteSeen(
  session: SqlSession,
  request: { readonly reconciliationId: number; readonly members: readonly SeenMember[] },
): Promise<SeenMember[]> {
  const { reconciliationId, members } = request;
  if (members.length === 0) return [];
  const lanes = members.map(({ laneId }) => laneId);
  const marks = members.map(({ mark }) => mark);
  return (await session.query<SeenMember>(statement, [reconciliationId, lanes, marks])).rows;
}
