import type { Database, SqlStatement } from '#platform';

import type { EventRow } from './stored-event.js';

const statement: SqlStatement = {
  name: 'load_events',
  text: `
SELECT e.lane_id, e.seq, e.version, e.attempt, e.type, e.at, e.data,
  CASE WHEN e.type = 'IntentCorrected' THEN e.sealed END AS correction
FROM unnest($1::bigint[], $2::int[]) AS i (lane_id, seq)
JOIN intent_event e ON e.lane_id = i.lane_id AND e.seq = i.seq
ORDER BY e.lane_id, e.seq, e.version`,
};

/** An event row with the sealed correction, where it is one. */
export interface LoadedEventRow extends EventRow {
  readonly correction: Buffer | null;
}

/**
 * The events after `IntentRecorded` of the given intents, in version order per lane. Bounded by the caller: places per
 * claim times the few events of an intent.
 */
export async function loadEvents(
  database: Database,
  places: readonly { readonly laneId: number; readonly seq: number }[],
): Promise<LoadedEventRow[]> {
  if (places.length === 0) return [];
  const { rows } = await database.execute<LoadedEventRow>(statement, [
    places.map((place) => place.laneId),
    places.map((place) => place.seq),
  ]);
  return rows;
}
