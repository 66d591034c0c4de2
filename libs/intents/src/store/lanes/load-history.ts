import type { IdentityPlace, IntentEvent } from '#intents/core';
import type { Database } from '#platform';

import { loadEvents, toEvent } from '../events/stored-event.js';
import { placeKey, quietPeriodsBeforeReads } from './claimed-lane.js';

/** An intent's history as its state is folded from, and as delivery would judge evidence of its last attempt. */
export interface ReadHistory {
  /** From its recording on. */
  readonly events: readonly IntentEvent[];
  /** As of `ClaimedIntent`: absent where nothing was read before the attempt in doubt, or nothing else was called. */
  readonly quietPeriodMs?: number;
}

/** Read without a lock: the intent may move meanwhile. @param recordedAt epoch ms */
export async function loadHistory(
  database: Database,
  { laneId, seq, recordedAt }: IdentityPlace & { readonly recordedAt: number },
): Promise<ReadHistory> {
  const rows = await loadEvents(database, [{ laneId, seq }]);
  const place = placeKey(laneId, seq);
  const quietPeriodMs = (await quietPeriodsBeforeReads(database, new Map([[place, rows]]))).get(place);
  const recorded: IntentEvent = { type: 'IntentRecorded', at: recordedAt };
  return { events: [recorded, ...rows.map(toEvent)], ...(quietPeriodMs !== undefined && { quietPeriodMs }) };
}
