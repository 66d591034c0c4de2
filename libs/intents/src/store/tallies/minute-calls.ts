import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { CallCounts } from '../processes/call-counts.js';

export const minuteMs = 60_000;

/** The minute in which something happened: its beginning. Both epoch ms. */
export const floorMinute = (at: number): number => Math.floor(at / minuteMs) * minuteMs;

/** The calls of a minute that one process has made for a program and not written down before. */
export interface MinuteCalls {
  /** The beginning of the minute in which they ended, epoch ms. */
  readonly at: number;
  readonly program: string;
  readonly calls: CallCounts;
}

/** What others have counted of the minute stays: bucket by bucket both add up. In order: no deadlocks. */
const addStatement: SqlStatement = {
  name: 'add_minute_calls',
  text: `
INSERT INTO minute_tally AS t (at, program_id, call_buckets, call_counts)
SELECT at, program_id, array_agg(bucket ORDER BY bucket), array_agg(calls ORDER BY bucket)
FROM unnest($1::timestamptz[], $2::text[], $3::smallint[], $4::int[]) AS g (at, program_id, bucket, calls)
GROUP BY 1, 2 ORDER BY 1, 2
ON CONFLICT (at, program_id) DO UPDATE SET (call_buckets, call_counts) = (
  SELECT array_agg(bucket ORDER BY bucket), array_agg(calls ORDER BY bucket)
  FROM (SELECT bucket, sum(calls)::int AS calls
    FROM unnest(t.call_buckets || EXCLUDED.call_buckets, t.call_counts || EXCLUDED.call_counts) AS b (bucket, calls)
    GROUP BY 1) summed)`,
};

/** Adds calls to what is told of their minutes (docs/decisions/0031). Done twice it counts twice. @throws {DatabaseError} */
export async function addMinuteCalls(database: Database, minutes: readonly MinuteCalls[]): Promise<void> {
  const rows = minutes.flatMap(({ at, program, calls }) =>
    Object.entries(calls).map(([bucket, count]) => ({ at: timestamp(at), program, bucket: Number(bucket), count })),
  );
  if (rows.length === 0) return;
  await database.execute(addStatement, [
    rows.map(({ at }) => at),
    rows.map(({ program }) => program),
    rows.map(({ bucket }) => bucket),
    rows.map(({ count }) => count),
  ]);
}
