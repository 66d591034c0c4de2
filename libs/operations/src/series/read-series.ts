import { timestamp } from '#intents';
import type { Database, SqlStatement } from '#platform';

import { isOfPrograms } from '../access/operator.js';
import { floorMinute, minuteMs } from './minute-looks.js';

/** Points of a series at most. */
export const seriesPointsMax = 360;
const stepsSeconds = [60, 120, 300, 600, 900, 1_800, 3_600, 7_200] as const;
/** What began so lately and is not written down yet is left out: it will be. What is older is a gap. */
const awaitedMs = 3 * minuteMs;
const secondMs = 1_000;

/** The shortest step of which the range has no more than `seriesPointsMax`. @param rangeMs at most 30 days */
export function stepSecondsOf(rangeMs: number): number {
  const fits = (step: number): boolean => rangeMs <= step * secondMs * seriesPointsMax;
  return stepsSeconds.find(fits) ?? stepsSeconds[stepsSeconds.length - 1] ?? 0;
}

/**
 * A program has a row where there was anything to say of it; the row of no program tells that somebody looked. What stood is
 * that of the step's last minute at whose end somebody looked.
 */
const seriesStatement: SqlStatement = {
  name: 'read_series',
  text: `
WITH step AS (
  SELECT date_bin(make_interval(secs => $3), at, '1970-01-01T00:00:00Z'::timestamptz) AS at,
    max(at) FILTER (WHERE program_id = '' AND waiting IS NOT NULL) AS looked_at, sum(received)::bigint AS received,
    sum(delivered)::bigint AS delivered, sum(parked)::bigint AS parked, sum(unknown)::bigint AS unknown,
    sum(cancelled)::bigint AS cancelled, sum(quarantined)::bigint AS quarantined
  FROM minute_tally
  WHERE at >= $1::timestamptz AND at < $2::timestamptz AND (program_id = '' OR ${isOfPrograms('$4')})
  GROUP BY 1
)
SELECT step.at, looked_at IS NOT NULL AS "isLooked", received, delivered, parked, unknown, cancelled, quarantined,
  stood.waiting, stood.pending, stood.still_unknown AS "stillUnknown", stood.still_parked AS "stillParked"
FROM step LEFT JOIN LATERAL (
  SELECT sum(waiting)::bigint AS waiting, sum(pending)::bigint AS pending, sum(still_unknown)::bigint AS still_unknown,
    sum(still_parked)::bigint AS still_parked
  FROM minute_tally t WHERE t.at = step.looked_at AND (program_id = '' OR ${isOfPrograms('$4')})) stood ON true
ORDER BY 1`,
};

const happenings = ['received', 'delivered', 'parked', 'unknown', 'cancelled', 'quarantined'] as const;
const standings = ['waiting', 'pending', 'stillUnknown', 'stillParked'] as const;
type Counts = Readonly<Record<(typeof happenings)[number] | (typeof standings)[number], number | null>>;

interface StepRow extends Counts {
  readonly at: number;
  readonly isLooked: boolean;
}

/** A step; null: nobody knows. Times in epoch ms. */
export interface SeriesPoint extends Counts {
  readonly at: number;
}

const gap = Object.fromEntries([...happenings, ...standings].map((name) => [name, null])) as unknown as Counts;

/** Where somebody looked, what has no row is 0. A record that was set aside is of no program. */
function pointOf(at: number, row: StepRow | undefined, isOfAll: boolean): SeriesPoint {
  if (row === undefined) return { at, ...gap };
  const { isLooked, received, quarantined, ...told } = row;
  const otherwise = isLooked ? 0 : null;
  const setAside = isOfAll ? (quarantined ?? otherwise) : null;
  return { ...told, at, received: received ?? otherwise, quarantined: setAside };
}

interface SeriesRequest {
  readonly from: number;
  readonly to: number;
  /** Only of these; null: of all. */
  readonly programs: readonly string[] | null;
  readonly now: number;
}

/** What happened over time, in whole steps: from the first that begins in the range to the one in which it ends. */
export async function readSeries(
  database: Database,
  { from, to, programs, now }: SeriesRequest,
): Promise<{ readonly stepSeconds: number; readonly points: readonly SeriesPoint[] }> {
  const stepSeconds = stepSecondsOf(to - from);
  const stepMs = stepSeconds * secondMs;
  const first = Math.ceil(from / stepMs) * stepMs;
  // Of the minute that runs a part may be counted already.
  const until = Math.min(to, floorMinute(now));
  const { rows } = await database.execute<StepRow>(seriesStatement, [
    ...[timestamp(first), timestamp(until), stepSeconds, programs],
  ]);
  const byTime = new Map(rows.map((row) => [row.at, row]));
  const points: SeriesPoint[] = [];
  for (let at = first; at < until; at += stepMs) points.push(pointOf(at, byTime.get(at), programs === null));
  const told = rows.at(-1)?.at ?? 0;
  return { stepSeconds, points: points.filter(({ at }) => at <= told || now - at >= awaitedMs) };
}
