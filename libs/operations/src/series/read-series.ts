import { Injectable } from '@nestjs/common';

import type { CallCounts } from '#intents';
import { floorMinute, latencyOf, minuteMs, timestamp } from '#intents';
import type { SqlStatement } from '#platform';
import { Database } from '#platform';

import { isOfPrograms } from '../access/operator.js';

/** Points of a series at most. */
export const seriesPointsMax = 360;
const stepsSeconds = [60, 120, 300] as const;
/** What began so lately and is not written down yet is left out: it will be. What is older is a gap. */
const awaitedMs = 3 * minuteMs;
const secondMs = 1_000;

/** The shortest step of which the range has no more than `seriesPointsMax`. @param rangeMs at most 24 hours */
export function stepSecondsOf(rangeMs: number): number {
  const fits = (step: number): boolean => rangeMs <= step * secondMs * seriesPointsMax;
  return stepsSeconds.find(fits) ?? stepsSeconds[stepsSeconds.length - 1] ?? 0;
}

/**
 * A program has a row where there was anything to say of it; the row of no program tells that somebody looked. What stood is
 * that of the step's last minute at whose end somebody looked, how far Kafka was ahead the most at the end of any of its
 * minutes. Calls are added up bucket by bucket.
 */
const seriesStatement: SqlStatement = {
  name: 'read_series',
  text: `
WITH step AS (
  SELECT date_bin(make_interval(secs => $3), at, '1970-01-01T00:00:00Z'::timestamptz) AS at,
    max(at) FILTER (WHERE program_id = '' AND waiting IS NOT NULL) AS looked_at, sum(received)::bigint AS received,
    sum(delivered)::bigint AS delivered, sum(parked)::bigint AS parked, sum(unknown)::bigint AS unknown,
    sum(cancelled)::bigint AS cancelled, sum(quarantined)::bigint AS quarantined, max(lag_records) AS lag_records,
    max(lag_seconds) AS lag_seconds
  FROM minute_tally
  WHERE at >= $1::timestamptz AND at < $2::timestamptz AND (program_id = '' OR ${isOfPrograms('$4')})
  GROUP BY 1
), told AS (
  SELECT date_bin(make_interval(secs => $3), at, '1970-01-01T00:00:00Z'::timestamptz) AS at, unnest(call_buckets) AS bucket,
    unnest(call_counts) AS calls
  FROM minute_tally
  WHERE at >= $1::timestamptz AND at < $2::timestamptz AND call_buckets IS NOT NULL AND ${isOfPrograms('$4')}
), summed AS (SELECT at, bucket, sum(calls) AS calls FROM told GROUP BY 1, 2),
called AS (SELECT at, json_object_agg(bucket, calls) AS calls FROM summed GROUP BY 1)
SELECT step.at, looked_at IS NOT NULL AS "isLooked", received, delivered, parked, unknown, cancelled, quarantined,
  stood.waiting, stood.pending, stood.still_unknown AS "stillUnknown", stood.still_parked AS "stillParked",
  lag_records AS "lagRecords", lag_seconds AS "lagSeconds", calls
FROM step LEFT JOIN called USING (at) LEFT JOIN LATERAL (
  SELECT sum(waiting)::bigint AS waiting, sum(pending)::bigint AS pending, sum(still_unknown)::bigint AS still_unknown,
    sum(still_parked)::bigint AS still_parked
  FROM minute_tally t WHERE t.at = step.looked_at AND (program_id = '' OR ${isOfPrograms('$4')})) stood ON true
ORDER BY step.at`,
};

const happenings = ['received', 'delivered', 'parked', 'unknown', 'cancelled', 'quarantined'] as const;
const standings = ['waiting', 'pending', 'stillUnknown', 'stillParked'] as const;
const lags = ['lagRecords', 'lagSeconds'] as const;
const latencies = ['latencyP50Ms', 'latencyP95Ms'] as const;
type Name = (typeof happenings | typeof standings | typeof lags | typeof latencies)[number];
type Counts = Readonly<Record<Name, number | null>>;

interface StepRow extends Omit<Counts, (typeof latencies)[number]> {
  readonly at: number;
  readonly isLooked: boolean;
  /** Null: no call was made, or no process reported. */
  readonly calls: CallCounts | null;
}

/** A step; null: not known. Times in epoch ms. */
export interface SeriesPoint extends Counts {
  readonly at: number;
}

const gap = Object.fromEntries(
  [...happenings, ...standings, ...lags, ...latencies].map((name) => [name, null]),
) as unknown as Counts;

function latencyIn(calls: CallCounts | null): Pick<Counts, (typeof latencies)[number]> {
  const { p50 = null, p95 = null } = latencyOf(calls ?? {}) ?? {};
  return { latencyP50Ms: p50, latencyP95Ms: p95 };
}

/** Where a look took place, what has no row is 0. A record that was set aside is of no program, nor is one that lies in Kafka. */
function pointOf(at: number, row: StepRow | undefined, isOfAll: boolean): SeriesPoint {
  if (row === undefined) return { at, ...gap };
  const { isLooked, received, quarantined, lagRecords, lagSeconds, calls, ...told } = row;
  const otherwise = isLooked ? 0 : null;
  const ofNoProgram = { quarantined: quarantined ?? otherwise, lagRecords, lagSeconds };
  return {
    ...{ ...told, at, received: received ?? otherwise },
    ...(isOfAll ? ofNoProgram : { quarantined: null, lagRecords: null, lagSeconds: null }),
    ...latencyIn(calls),
  };
}

interface SeriesRequest {
  readonly from: number;
  readonly to: number;
  /** Only of these; null: of all. */
  readonly programs: readonly string[] | null;
  readonly now: number;
}

/** What happened in each minute. */
@Injectable()
export class SeriesRepository {
  constructor(private readonly database: Database) {}

  /** What happened over time, in whole steps: from the first that begins in the range to the one in which it ends. */
  async read({
    from,
    to,
    programs,
    now,
  }: SeriesRequest): Promise<{ readonly stepSeconds: number; readonly points: readonly SeriesPoint[] }> {
    const stepSeconds = stepSecondsOf(to - from);
    const stepMs = stepSeconds * secondMs;
    const first = Math.ceil(from / stepMs) * stepMs;
    // Of the minute that runs a part may be counted already.
    const until = Math.min(to, floorMinute(now));
    const { rows } = await this.database.execute<StepRow>(seriesStatement, [
      ...[timestamp(first), timestamp(until), stepSeconds, programs],
    ]);
    const byTime = new Map(rows.map((row) => [row.at, row]));
    const points: SeriesPoint[] = [];
    for (let at = first; at < until; at += stepMs) points.push(pointOf(at, byTime.get(at), programs === null));
    const told = rows.at(-1)?.at ?? 0;
    return { stepSeconds, points: points.filter(({ at }) => at <= told || now - at >= awaitedMs) };
  }
}
