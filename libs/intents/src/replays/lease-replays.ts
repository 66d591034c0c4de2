import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { Replay } from './replay.js';
import { replayColumns } from './replay.js';

/** Replays that one process carries on in a turn. */
export const replaysLeasedMax = 4;
/** A process that is gone loses its replays after so long. */
export const replayLeaseMs = 10_000;

const statement: SqlStatement = {
  name: 'lease_replays',
  text: `
UPDATE replay SET owner = $1::uuid, leased_until = $3::timestamptz, turn_at = $2::timestamptz
WHERE replay_id IN (
  SELECT replay_id FROM replay
  WHERE state = 'running' AND (owner IS NULL OR owner = $1::uuid OR leased_until < $2::timestamptz)
  ORDER BY turn_at NULLS FIRST, created_at, replay_id LIMIT ${replaysLeasedMax} FOR UPDATE SKIP LOCKED)
RETURNING ${replayColumns}`,
};

/**
 * Takes, or keeps, the running replays that nobody else works on and that have waited longest for a turn: those that
 * cannot go on keep nobody from it.
 */
export async function leaseReplays(
  database: Database,
  { owner, now }: { readonly owner: string; readonly now: number },
): Promise<Replay[]> {
  const parameters = [owner, timestamp(now), timestamp(now + replayLeaseMs)];
  return (await database.execute<Replay>(statement, parameters)).rows;
}
