import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

const statement: SqlStatement = {
  name: 'end_replay',
  text: `
UPDATE replay SET state = $2, stopped_because = $3, finished_at = CASE WHEN $2 = 'done' THEN $4::timestamptz END,
  owner = NULL, leased_until = NULL
WHERE replay_id = $1 AND state = 'running'`,
};

/** A replay has come to its end, or its canary stops it. */
export async function endReplay(
  database: Database,
  end: { readonly replayId: string; readonly because: string | null; readonly now: number },
): Promise<void> {
  const { replayId, because, now } = end;
  await database.execute(statement, [replayId, because === null ? 'done' : 'stopped', because, timestamp(now)]);
}
