import type { Database, SqlSession, SqlStatement } from '#platform';

import { within } from '../coordination/pauses.js';
import { countReplayItems } from './count-replay-items.js';

/** Whoever lets it go on, or cancels it, waits: what is counted afterwards stays so. */
const lockStatement: SqlStatement = {
  name: 'lock_resting_replay',
  text: `
SELECT FROM replay WHERE replay_id = $1 AND state <> 'running' AND counts IS NULL
  AND NOT EXISTS (SELECT FROM replay_item i WHERE i.replay_id = $1 AND i.state = 'sent')
FOR NO KEY UPDATE`,
  isRead: true,
};

const keepStatement: SqlStatement = {
  name: 'keep_replay_counts',
  text: 'UPDATE replay SET counts = $2::jsonb, leased_until = NULL WHERE replay_id = $1',
};

async function keep(session: SqlSession, replayId: string): Promise<void> {
  const { rowCount } = await session.query(lockStatement, [replayId]);
  if (rowCount === 0) return;
  const counts = (await countReplayItems(within(session), [{ replayId, counts: null }])).get(replayId);
  // Sent while the lock was waited for.
  if (counts === undefined || counts.byState.sent !== undefined) return;
  await session.query(keepStatement, [replayId, JSON.stringify(counts)]);
}

/** Keeps the counts of a replay of which nothing moves any more, so that nobody counts its items again. */
export async function keepCounts(database: Database, replayId: string): Promise<void> {
  await database.transaction('keep_replay_counts', (session) => keep(session, replayId));
}
