import type { Database, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'count_blocked_lanes',
  text: `
SELECT program_id AS program, count(*) AS lanes, sum(tail_seq - cur_seq)::bigint AS behind
FROM lane WHERE state = 'blocked' GROUP BY 1 ORDER BY 1`,
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
