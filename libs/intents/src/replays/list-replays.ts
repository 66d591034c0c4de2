import type { Database, SqlStatement } from '#platform';

import type { Replay } from './replay.js';
import { replayColumns } from './replay.js';

/** Replays that are shown, the newest first. */
export const replaysMax = 200;

const statement: SqlStatement = {
  name: 'list_replays',
  text: `SELECT ${replayColumns} FROM replay ORDER BY created_at DESC, replay_id LIMIT ${replaysMax}`,
};

export async function listReplays(database: Database): Promise<Replay[]> {
  return (await database.execute<Replay>(statement)).rows;
}
