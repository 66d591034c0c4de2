import type { IdentityPlace } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import { openInLane } from '../lanes/open-in-lane.js';

/** Intents in one page. */
export const queuedPageMax = 500;

const statement: SqlStatement = {
  name: 'find_queued',
  text: `
SELECT i.seq FROM lane l JOIN intent i ON i.lane_id = l.lane_id
  AND ${openInLane('i.seq')}
WHERE l.lane_id = $1 AND i.seq > $2
  AND EXISTS (SELECT FROM intent_event e WHERE e.lane_id = i.lane_id AND e.seq = i.seq AND e.type <> 'IntentCancelled')
  AND NOT EXISTS (SELECT FROM intent_event e WHERE e.lane_id = i.lane_id AND e.seq = i.seq AND e.type = 'IntentCancelled')
ORDER BY i.seq LIMIT ${queuedPageMax}`,
};

/** What is queued in a lane and has lived through something, page by page after the given seq (0 to begin). */
export async function findQueued(
  session: SqlSession,
  after: { readonly laneId: number; readonly seq: number },
): Promise<IdentityPlace[]> {
  const { laneId } = after;
  const { rows } = await session.query<{ seq: number }>(statement, [laneId, after.seq]);
  return rows.map(({ seq }) => ({ laneId, seq }));
}
