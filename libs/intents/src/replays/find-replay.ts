import type { Database, SqlStatement } from '#platform';

import type { Replay } from './replay.js';
import { replayColumns } from './replay.js';

const statement: SqlStatement = {
  name: 'find_replay',
  text: `SELECT ${replayColumns} FROM replay WHERE replay_id = $1`,
};

/** Null where there is none of that id. */
export async function findReplay(database: Pick<Database, 'execute'>, replayId: string): Promise<Replay | null> {
  return (await database.execute<Replay>(statement, [replayId])).rows[0] ?? null;
}
