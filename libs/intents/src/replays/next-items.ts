import type { Database, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'next_replay_items',
  text: `
SELECT r.ordinal, r.lane_id AS "laneId", r.seq, (
    SELECT count(*) FROM intent_event e WHERE e.lane_id = r.lane_id AND e.seq = r.seq AND e.type = 'IntentReplayed'
  ) AS replays
FROM replay_item r WHERE r.replay_id = $1 AND r.state = 'waiting' ORDER BY r.ordinal LIMIT $2::int`,
};

export interface NextItem {
  readonly ordinal: number;
  readonly laneId: number;
  readonly seq: number;
  /** How often it was replayed before. */
  readonly replays: number;
}

/** The items that come next, in their order. */
export async function nextItems(database: Database, replayId: string, limit: number): Promise<NextItem[]> {
  return (await database.execute<NextItem>(statement, [replayId, limit])).rows;
}
