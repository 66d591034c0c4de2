import type { IdentityPlace, IntentState } from '#domain';
import { evolve, initialIntentState } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import type { EventRow } from '../events/stored-event.js';
import { toEvent } from '../events/stored-event.js';

const intentStatement: SqlStatement = {
  name: 'find_standing_intent',
  text: 'SELECT recorded_at FROM intent WHERE lane_id = $1 AND seq = $2',
};

const eventsStatement: SqlStatement = {
  name: 'find_standing_events',
  text: `
SELECT lane_id, seq, version, attempt, type, at, data FROM intent_event
WHERE lane_id = $1 AND seq = $2 ORDER BY version`,
};

/** How an intent stands, folded from its events. The lane must be locked, so that it cannot move meanwhile. */
export async function findStanding(session: SqlSession, place: IdentityPlace): Promise<IntentState> {
  const { laneId, seq } = place;
  const { rows } = await session.query<{ recorded_at: number }>(intentStatement, [laneId, seq]);
  const recordedAt = rows[0]?.recorded_at;
  if (recordedAt === undefined) return initialIntentState;
  const recorded = evolve(initialIntentState, { type: 'IntentRecorded', at: recordedAt });
  const events = await session.query<EventRow>(eventsStatement, [laneId, seq]);
  return events.rows.reduce((state, row) => evolve(state, toEvent(row)), recorded);
}
