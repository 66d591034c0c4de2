import type { Database, SqlStatement } from '#platform';

import type { Replay } from './replay.js';
import { replayColumns } from './replay.js';

/** Replays that are shown, the newest first. */
export const openReplaysMax = 50;

const statement: SqlStatement = {
  name: 'list_open_replays',
  text: `
SELECT ${replayColumns} FROM replay WHERE state IN ('running', 'paused', 'stopped')
ORDER BY created_at DESC, replay_id LIMIT ${openReplaysMax}`,
};

/** Replays that run, or would go on if somebody let them. */
export async function listOpenReplays(database: Database): Promise<Replay[]> {
  return (await database.execute<Replay>(statement)).rows;
}
