import type { IdentityPlace, IntentState } from '#domain';
import { evolve, initialIntentState } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import type { EventRow } from '../events/stored-event.js';
import { toEvent } from '../events/stored-event.js';
import { forgottenBefore } from '../recovery/forgotten-before.js';
import { endedState } from '../retention/ended-state.js';
import { findArchived } from '../retention/find-archived.js';

const intentStatement: SqlStatement = {
  name: 'find_standing_intent',
  text: `
SELECT recorded_at, ${forgottenBefore('intent')} AS forgotten_before FROM intent
WHERE lane_id = $1 AND seq = $2`,
};

const eventsStatement: SqlStatement = {
  name: 'find_standing_events',
  text: `
SELECT lane_id, seq, version, attempt, type, at, data FROM intent_event
WHERE lane_id = $1 AND seq = $2 ORDER BY version`,
};

interface IntentRow {
  readonly recorded_at: number;
  readonly forgotten_before: number | null;
}

/** What a lost history may have sent has perhaps taken effect, although no event says so yet. */
function withForgotten(state: IntentState, { forgotten_before: endedBy }: IntentRow): IntentState {
  if (state.status === 'absent' || endedBy === null || (state.forgottenAt ?? -Infinity) >= endedBy) return state;
  return { ...state, hadUnknown: true };
}

/** How an intent stands, folded from its events. The lane must be locked, so that it cannot move meanwhile. */
export async function findStanding(session: SqlSession, place: IdentityPlace): Promise<IntentState> {
  const { laneId, seq } = place;
  const { rows } = await session.query<IntentRow>(intentStatement, [laneId, seq]);
  const [row] = rows;
  if (row === undefined) return findEnded(session, place);
  const recorded = evolve(initialIntentState, { type: 'IntentRecorded', at: row.recorded_at });
  const events = await session.query<EventRow>(eventsStatement, [laneId, seq]);
  return withForgotten(
    events.rows.reduce((state, event) => evolve(state, toEvent(event)), recorded),
    row,
  );
}

/** Of what has left the truth; absent: it was never there. */
async function findEnded(session: SqlSession, place: IdentityPlace): Promise<IntentState> {
  const [archived] = await findArchived(session, [place]);
  return archived === undefined ? initialIntentState : endedState(archived);
}
