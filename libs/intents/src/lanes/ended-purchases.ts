import type { Database } from '#platform';

import type { LoadedEventRow } from '../events/load-events.js';
import { findArchived } from '../retention/archived-intents.js';

/** What a claimed intent tells of the purchase that it waits for. */
interface Waiting {
  readonly lane_id: number;
  readonly head_seq: number;
  readonly waits_for_seq: number | null;
}

/**
 * The ends of purchases that refunds wait for and whose events have left the truth. Only what lies behind its lane's head
 * and shows no event can have left: nearly always there is nothing to ask.
 */
export async function endedPurchases(
  database: Database,
  rows: readonly Waiting[],
  known: readonly LoadedEventRow[],
): Promise<LoadedEventRow[]> {
  const shown = new Set(known.map(({ lane_id: laneId, seq }) => `${laneId}:${seq}`));
  const places = rows.flatMap(({ lane_id: laneId, head_seq: head, waits_for_seq: seq }) =>
    seq === null || seq >= head || shown.has(`${laneId}:${seq}`) ? [] : [{ laneId, seq }],
  );
  if (places.length === 0) return [];
  const archived = await database.transaction('find_archived', (session) => findArchived(session, places));
  return archived.map(({ laneId, seq, isCancelled, archivedAt: at }) => ({
    ...{ lane_id: laneId, seq, version: 0, at, data: null, correction: null },
    ...(isCancelled ? { type: 'IntentCancelled', attempt: 0 } : { type: 'AttemptApplied', attempt: 1 }),
  }));
}
