import type { Database, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'find_last_calls',
  text: `
SELECT w.lane_id, w.seq, max(e.at) AS at
FROM unnest($1::bigint[], $2::int[], $3::int[]) AS w (lane_id, seq, version)
JOIN intent_event e ON e.lane_id = w.lane_id AND e.seq <> w.seq AND e.version < w.version
JOIN intent i ON i.lane_id = e.lane_id AND i.seq = e.seq
WHERE e.type IN ('AttemptApplied', 'AttemptUnknown', 'LateOutcome')
  AND i.operation NOT IN ('issue', 'issue-via-workflow')
GROUP BY w.lane_id, w.seq`,
};

/** An intent, and the version of one of its events. */
export interface EventPlace {
  readonly laneId: number;
  readonly seq: number;
  readonly version: number;
}

export interface LastCall {
  readonly lane_id: number;
  readonly seq: number;
  readonly at: number;
}

/**
 * When another call of the lane that may have moved its pass ended last before each of these events. Reads all events of
 * the lanes: for the few attempts in doubt that something was read for.
 */
export async function findLastCalls(database: Database, places: readonly EventPlace[]): Promise<readonly LastCall[]> {
  if (places.length === 0) return [];
  const { rows } = await database.execute<LastCall>(statement, [
    places.map(({ laneId }) => laneId),
    places.map(({ seq }) => seq),
    places.map(({ version }) => version),
  ]);
  return rows;
}
