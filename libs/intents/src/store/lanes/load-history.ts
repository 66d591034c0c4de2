import type { IdentityPlace, IntentEvent } from '#intents/core';
import type { Database, SqlStatement } from '#platform';
import { int4Array, int8Array } from '#platform';

import { loadEvents, toEvent } from '../events/stored-event.js';
import { placeKey, quietPeriodsBeforeReads } from './claimed-lane.js';

/** An intent's history as its state is folded from, and as delivery would judge evidence of its last attempt. */
export interface ReadHistory {
  /** From its recording on. */
  readonly events: readonly IntentEvent[];
  /** As of `ClaimedIntent`: absent where nothing was read before the attempt in doubt, or nothing else was called. */
  readonly quietPeriodMs?: number;
}

const recordedStatement: SqlStatement = {
  name: 'find_recorded_at',
  text: `
SELECT lane_id AS "laneId", seq, recorded_at AS "recordedAt"
FROM intent JOIN unnest($1::bigint[], $2::int[]) AS w (lane_id, seq) USING (lane_id, seq)`,
};

interface RecordedRow extends IdentityPlace {
  /** Epoch ms. */
  readonly recordedAt: number;
}

/**
 * Read without a lock: the intents may move meanwhile. Bounded by the caller.
 * @returns by `LANE/SEQ`; without those that have left
 */
export async function loadHistories(
  database: Pick<Database, 'execute'>,
  places: readonly IdentityPlace[],
): Promise<ReadonlyMap<string, ReadHistory>> {
  const parameters = [int8Array(places.map(({ laneId }) => laneId)), int4Array(places.map(({ seq }) => seq))];
  const { rows: recorded } = await database.execute<RecordedRow>(recordedStatement, parameters);
  const loaded = Map.groupBy(await loadEvents(database, places), (row) => placeKey(row.lane_id, row.seq));
  const quietPeriods = await quietPeriodsBeforeReads(database, loaded);
  return new Map(
    recorded.map(({ laneId, seq, recordedAt: at }) => {
      const place = placeKey(laneId, seq);
      const quietPeriodMs = quietPeriods.get(place);
      const events: IntentEvent[] = [{ type: 'IntentRecorded', at }, ...(loaded.get(place) ?? []).map(toEvent)];
      return [`${laneId}/${seq}`, { events, ...(quietPeriodMs !== undefined && { quietPeriodMs }) }];
    }),
  );
}
