import type { Database, SqlStatement } from '#platform';

/**
 * However many items have come to an end: those are counted when they do. What was put back into a lane that is blocked
 * since stands still until somebody mends what blocks it: nobody waits for that.
 */
const statement: SqlStatement = {
  name: 'count_replay_progress',
  text: `
SELECT EXISTS (SELECT FROM replay_item w WHERE w.replay_id = r.replay_id AND w.state = 'waiting') AS "isWaiting",
  u.items AS "underWay", r.settled + u.begun AS begun, r.settled, r.failed
FROM replay r CROSS JOIN LATERAL (
  SELECT count(*) AS items, count(*) FILTER (WHERE i.ordinal > r.canary_from) AS begun
  FROM replay_item i JOIN lane l USING (lane_id)
  WHERE i.replay_id = r.replay_id AND i.state = 'sent' AND l.state <> 'blocked') u
WHERE r.replay_id = $1`,
};

/** How far a replay is; the last three are of what was sent since its canary began. */
export interface ReplayProgress {
  /** Some are not sent yet. */
  readonly isWaiting: boolean;
  readonly underWay: number;
  readonly begun: number;
  readonly settled: number;
  readonly failed: number;
}

export async function countProgress(database: Database, replayId: string): Promise<ReplayProgress> {
  const [row] = (await database.execute<ReplayProgress>(statement, [replayId])).rows;
  if (row === undefined) throw new Error('a count returned nothing');
  return row;
}
