import type { IdentityPlace } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import { isOptOut } from '../erasure/opt-outs.js';
import { openInLane } from '../lanes/open-in-lane.js';
import { forgottenBefore } from '../recovery/forgotten-before.js';

/** Intents in one page. */
export const queuedPageMax = 500;

const hasEvents = 'EXISTS (SELECT FROM intent_event e WHERE e.lane_id = i.lane_id AND e.seq = i.seq)';

const statement: SqlStatement = {
  name: 'find_queued',
  text: `
SELECT i.seq, ${isOptOut('i')} AS "isOptOut", NOT ${hasEvents} AS "isForgotten"
FROM lane l JOIN intent i ON i.lane_id = l.lane_id
  AND ${openInLane('i.seq')}
WHERE l.lane_id = $1 AND i.seq > $2
  AND (${hasEvents} OR ${forgottenBefore('i')} IS NOT NULL)
  AND NOT EXISTS (SELECT FROM intent_event e WHERE e.lane_id = i.lane_id AND e.seq = i.seq AND e.type = 'IntentCancelled')
ORDER BY i.seq LIMIT ${queuedPageMax}`,
};

export interface QueuedPlace extends IdentityPlace {
  /** It tells the partner that the member has left. */
  readonly isOptOut: boolean;
  /** Nothing is known of it but that a lost history may have sent it. */
  readonly isForgotten: boolean;
}

/** What is queued in a lane and has lived through something, perhaps in a lost history, page by page after the given seq (0 to begin). */
export async function findQueued(
  session: SqlSession,
  after: { readonly laneId: number; readonly seq: number },
): Promise<QueuedPlace[]> {
  const { laneId } = after;
  const { rows } = await session.query<Omit<QueuedPlace, 'laneId'>>(statement, [laneId, after.seq]);
  return rows.map((row) => ({ laneId, ...row }));
}
