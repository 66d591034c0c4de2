import type { Database, SqlStatement } from '#platform';

/** Lanes looked at per program: those that are due first. */
export const openLanesLookMax = 1_000;

const statement: SqlStatement = {
  name: 'find_oldest_pending',
  text: `
SELECT p.program_id AS program, min(i.recorded_at) AS "recordedAt", count(*) >= ${openLanesLookMax} AS "isPart"
FROM (SELECT DISTINCT program_id FROM intent_tally) p
CROSS JOIN LATERAL (
  SELECT lane_id, cur_seq, state FROM lane WHERE lane.program_id = p.program_id AND due_at IS NOT NULL
  ORDER BY due_at LIMIT ${openLanesLookMax}) l
LEFT JOIN LATERAL (
  SELECT recorded_at FROM intent
  WHERE intent.lane_id = l.lane_id AND intent.seq = l.cur_seq AND l.state = 'live' OFFSET 0) i ON true
GROUP BY 1 HAVING min(i.recorded_at) IS NOT NULL ORDER BY 1`,
};

/** The intent of a program that has been pending for longest. */
export interface OldestPending {
  readonly program: string;
  /** Epoch ms. */
  readonly recordedAt: number;
  /** There are more open lanes than are looked at: it is the oldest of those that are due first. */
  readonly isPart: boolean;
}

/** What each program has pending for longest; without those that have nothing. Blocked and waiting lanes do not count. */
export async function findOldestPending(database: Database): Promise<OldestPending[]> {
  return (await database.execute<OldestPending>(statement)).rows;
}
