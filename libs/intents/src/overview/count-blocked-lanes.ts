import type { Database, SqlStatement } from '#platform';

/** From what is parked to its lane: no index tells which lanes are blocked. */
const statement: SqlStatement = {
  name: 'count_blocked_lanes',
  text: `
SELECT l.program_id AS program, count(*) AS lanes, sum(l.tail_seq - l.cur_seq)::bigint AS behind
FROM intent_standing s JOIN lane l ON l.lane_id = s.lane_id AND l.cur_seq = s.seq AND l.state = 'blocked'
WHERE s.status = 'parked'
GROUP BY 1 ORDER BY 1`,
};

/** Lanes of a program that stand still until a person acts. */
export interface BlockedCount {
  readonly program: string;
  readonly lanes: number;
  /** Recorded intents that wait behind what is parked. */
  readonly behind: number;
}

export async function countBlockedLanes(database: Database): Promise<BlockedCount[]> {
  return (await database.execute<BlockedCount>(statement)).rows;
}
