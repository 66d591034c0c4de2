import type { IdentityPlace, IntentState } from '#domain';
import { evolve, initialIntentState, isUntouched } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import type { EventRow } from '../events/stored-event.js';
import { toEvent } from '../events/stored-event.js';
import { forgottenBefore } from '../recovery/recovery.js';
import { endedState, findArchived } from '../retention/archived-intents.js';

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

/** The state of an intent, folded from its events. */
export interface LoadedIntentState {
  readonly state: IntentState;
  /** Nothing of it can have taken effect, in a lost history neither. */
  readonly isUntouched: boolean;
}

/** What a lost history may have sent has perhaps taken effect, although no event says so yet. */
function isForgotten(state: IntentState, { forgotten_before: endedBy }: IntentRow): boolean {
  return state.status !== 'absent' && endedBy !== null && (state.forgottenAt ?? -Infinity) < endedBy;
}

/** The lane must be locked, so that the intent cannot move meanwhile. */
export async function loadIntentState(session: SqlSession, place: IdentityPlace): Promise<LoadedIntentState> {
  const { laneId, seq } = place;
  const { rows } = await session.query<IntentRow>(intentStatement, [laneId, seq]);
  const [row] = rows;
  if (row === undefined) return loadEndedState(session, place);
  const recorded = evolve(initialIntentState, { type: 'IntentRecorded', at: row.recorded_at });
  const events = await session.query<EventRow>(eventsStatement, [laneId, seq]);
  const state = events.rows.reduce((before, event) => evolve(before, toEvent(event)), recorded);
  return { state, isUntouched: isUntouched(state) && !isForgotten(state, row) };
}

/** Of what has left the truth; absent: it was never there. */
async function loadEndedState(session: SqlSession, place: IdentityPlace): Promise<LoadedIntentState> {
  const [archived] = await findArchived(session, [place]);
  return { state: archived === undefined ? initialIntentState : endedState(archived), isUntouched: false };
}
