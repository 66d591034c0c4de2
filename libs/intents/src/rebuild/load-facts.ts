import type { Operation } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import type { EventRow } from '../events/stored-event.js';

const statement: SqlStatement = {
  name: 'load_lane_facts',
  text: `
SELECT lane_id, seq, version, operation, 0 AS attempt, 0 AS epoch, 'IntentRecorded' AS type, recorded_at AS at,
  NULL::jsonb AS data, pos
FROM intent WHERE lane_id = ANY ($1::bigint[])
UNION ALL
SELECT lane_id, seq, version, NULL, attempt, epoch, type, at, data, pos
FROM intent_event WHERE lane_id = ANY ($1::bigint[])
ORDER BY lane_id, version`,
};

/** A row of `intent` or `intent_event`. */
export interface FactRow extends EventRow {
  readonly operation: Operation | null;
  readonly epoch: number;
  readonly pos: number;
}

/** All that is known of these lanes, in version order per lane; no payload, no evidence. */
export async function loadFacts(session: SqlSession, laneIds: readonly number[]): Promise<readonly FactRow[]> {
  return (await session.query<FactRow>(statement, [laneIds])).rows;
}
