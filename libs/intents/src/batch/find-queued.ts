import type { IdentityPlace } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import { isOptOut } from '../erasure/opt-outs.js';
import { openInLane } from '../lanes/open-in-lane.js';

/** Intents in one page. */
export const queuedPageMax = 500;

const statement: SqlStatement = {
  name: 'find_queued',
  text: `
SELECT i.seq, ${isOptOut('i')} AS "isOptOut" FROM lane l JOIN intent i ON i.lane_id = l.lane_id
  AND ${openInLane('i.seq')}
WHERE l.lane_id = $1 AND i.seq > $2
  AND EXISTS (SELECT FROM intent_event e WHERE e.lane_id = i.lane_id AND e.seq = i.seq AND e.type <> 'IntentCancelled')
  AND NOT EXISTS (SELECT FROM intent_event e WHERE e.lane_id = i.lane_id AND e.seq = i.seq AND e.type = 'IntentCancelled')
ORDER BY i.seq LIMIT ${queuedPageMax}`,
};

export interface QueuedPlace extends IdentityPlace {
  /** It tells the partner that the member has left. */
  readonly isOptOut: boolean;
}

/** What is queued in a lane and has lived through something, page by page after the given seq (0 to begin). */
export async function findQueued(
  session: SqlSession,
  after: { readonly laneId: number; readonly seq: number },
): Promise<QueuedPlace[]> {
  const { laneId } = after;
  const { rows } = await session.query<Omit<QueuedPlace, 'laneId'>>(statement, [laneId, after.seq]);
  return rows.map((row) => ({ laneId, ...row }));
}
