import type { SqlSession, SqlStatement } from '#platform';

/** Lanes in one page. */
const lanesPageMax = 1_000;

const statement: SqlStatement = {
  name: 'list_lanes_to_rebuild',
  text: `
WITH page AS MATERIALIZED (SELECT lane_id, program_id FROM member WHERE lane_id > $1 ORDER BY lane_id LIMIT ${lanesPageMax})
SELECT lane_id AS "laneId", program_id AS program,
  (SELECT count(*) FROM intent i WHERE i.lane_id = page.lane_id)
    + (SELECT count(*) FROM intent_event e WHERE e.lane_id = page.lane_id) AS facts
FROM page ORDER BY lane_id`,
};

/** A member's lane and how much is known of it; 0 when nothing was ever recorded for the member. */
export interface LaneSize {
  readonly laneId: number;
  readonly program: string;
  readonly facts: number;
}

/** The next page of members, by lane. */
export async function listLanes(session: SqlSession, after: number): Promise<readonly LaneSize[]> {
  return (await session.query<LaneSize>(statement, [after])).rows;
}
