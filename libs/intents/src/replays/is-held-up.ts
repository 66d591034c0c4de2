import type { SqlSession, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'is_replay_item_held_up',
  text: `
SELECT FROM lane l WHERE l.lane_id = $2 AND l.state = 'blocked' AND NOT EXISTS (
  SELECT FROM replay_item b
  WHERE b.replay_id = $1 AND b.lane_id = l.lane_id AND b.seq = l.cur_seq AND b.state = 'waiting')`,
};

/** Whether a lane is blocked by an intent that this replay does not put back, too. The lane is locked. */
export async function isHeldUp(
  session: SqlSession,
  { replayId, laneId }: { readonly replayId: string; readonly laneId: number },
): Promise<boolean> {
  return (await session.query(statement, [replayId, laneId])).rowCount > 0;
}
