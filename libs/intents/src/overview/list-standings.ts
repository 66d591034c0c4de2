import type { Database, SqlStatement } from '#platform';

import type { IntentStanding } from './standing.js';
import { standingQuery } from './standing.js';

/** Intents in one page. */
export const standingsPageMax = 5_000;

const statement: SqlStatement = {
  name: 'list_standings',
  text: `
WITH standing AS (${standingQuery})
SELECT i.lane_id AS "laneId", i.seq, m.program_id AS program, m.member_id AS "memberId", i.operation,
  COALESCE(s.status, 'pending') AS status, s.parked_reason AS "parkedReason", i.topic, i.partition,
  i.kafka_offset AS "offset"
FROM intent i JOIN member m USING (lane_id) LEFT JOIN standing s USING (lane_id, seq)
WHERE (i.lane_id, i.seq) > ($1::bigint, $2::int)
ORDER BY i.lane_id, i.seq LIMIT ${standingsPageMax}`,
};

/** One page of intents, lane by lane in `seq` order, after the given one (`{ laneId: 0, seq: 0 }` to begin). */
export async function listStandings(
  database: Database,
  after: Pick<IntentStanding, 'laneId' | 'seq'>,
): Promise<readonly IntentStanding[]> {
  return (await database.execute<IntentStanding>(statement, [after.laneId, after.seq])).rows;
}
