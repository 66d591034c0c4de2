import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

/** Replays at rest that are looked at in one turn, at most. */
export const restingLookedAtMax = 20;
/** One of them is looked at so often, whichever process does. */
export const restingLookMs = 2_000;

const statement: SqlStatement = {
  name: 'lease_resting_replays',
  text: `
UPDATE replay SET leased_until = $2::timestamptz
WHERE replay_id IN (
  SELECT replay_id FROM replay
  WHERE counts IS NULL AND state <> 'running' AND (leased_until IS NULL OR leased_until <= $1::timestamptz)
  ORDER BY leased_until NULLS FIRST, replay_id LIMIT ${restingLookedAtMax} FOR UPDATE SKIP LOCKED)
RETURNING replay_id AS "replayId"`,
};

/** Replays of which nothing is sent now, though what was sent may still come to its end: who waits longest. */
export async function leaseResting(database: Database, now: number): Promise<readonly string[]> {
  const parameters = [timestamp(now), timestamp(now + restingLookMs)];
  const { rows } = await database.execute<{ replayId: string }>(statement, parameters);
  return rows.map(({ replayId }) => replayId);
}
