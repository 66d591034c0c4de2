import { Injectable } from '@nestjs/common';

import type { Factor, Operation } from '#intents/core';
import { PRIORITIES } from '#intents/core';
import { deferredRange, timestamp } from '#intents';
import type { SqlStatement } from '#platform';
import { Database } from '#platform';

/** Lanes of each priority, and intents that stepped aside, that are looked at: the first ones. */
const lanesMax = 4_000;
/** Of each lane the next ones. */
const intentsPerLaneMax = 20;
/** Parked intents that are looked at: the latest. */
const refusedMax = 5_000;
/** Different origins that are told apart. */
const originsMax = 5_000;
/** Factors that are named: those with the most refusals, then those of which the most wait. */
const factorsMax = 20;

const origin = 'i.event_type AS "eventType", i.store_id AS store, i.source';

/**
 * Lanes lie in the range of what holds their next intent, and so does what has stepped aside for it; what a pause of a whole program
 * holds lies wherever it was.
 */
const waitingStatement: SqlStatement = {
  name: 'count_waiting_for_pause',
  isRead: true,
  text: `
WITH l AS MATERIALIZED (
  SELECT l.* FROM unnest('{${PRIORITIES.join(',')}}'::int[]) AS each (priority)
  CROSS JOIN LATERAL (
    SELECT lane_id, head_seq, tail_seq, cur_seq, redo, ahead FROM lane
    WHERE program_id = $1 AND lane.priority = each.priority AND due_at >= $2::timestamptz AND due_at <= $3::timestamptz
    ORDER BY due_at LIMIT ${lanesMax}) l
), h AS MATERIALIZED (
  SELECT lane_id, seq FROM intent_standing
  WHERE program_id = $1 AND held_until >= $2::timestamptz AND held_until <= $3::timestamptz ORDER BY held_until LIMIT ${lanesMax}
), waiting AS (
  SELECT i.operation, ${origin} FROM l CROSS JOIN LATERAL (
    SELECT * FROM intent WHERE intent.lane_id = l.lane_id AND seq <> ALL (l.ahead)
      AND (seq BETWEEN l.head_seq AND l.tail_seq OR seq = l.cur_seq OR seq = ANY (l.redo))
      AND NOT EXISTS (SELECT FROM intent_standing s WHERE s.lane_id = l.lane_id AND s.seq = intent.seq
        AND s.status IN ('parked', 'cancelled', 'delivered'))
    ORDER BY seq LIMIT ${intentsPerLaneMax}) i
  UNION ALL
  SELECT i.operation, ${origin} FROM h JOIN intent i USING (lane_id, seq)
)
SELECT "eventType", store, source, count(*)::int AS count,
  (SELECT count(*) FROM l) + (SELECT count(*) FROM h) >= ${lanesMax} AS "isPart"
FROM waiting WHERE $4::text IS NULL OR operation = $4
GROUP BY 1, 2, 3 ORDER BY count DESC LIMIT ${originsMax}`,
};

const refusedStatement: SqlStatement = {
  name: 'count_refused_before_pause',
  isRead: true,
  text: `
SELECT ${origin}, count(*)::int AS count, false AS "isPart"
FROM (SELECT lane_id, seq, program_id, operation, reason, since FROM intent_standing
  WHERE status = 'parked' ORDER BY recorded_at DESC, lane_id DESC, seq DESC LIMIT ${refusedMax}) s
JOIN intent i USING (lane_id, seq)
WHERE s.program_id = $1 AND ($3::text IS NULL OR s.operation = $3) AND s.reason = 'rejected' AND s.since >= $2::timestamptz
GROUP BY 1, 2, 3 ORDER BY count DESC LIMIT ${originsMax}`,
};

interface OriginCount {
  readonly eventType: string;
  readonly store: string | null;
  readonly source: string | null;
  readonly count: number;
  readonly isPart: boolean;
}

interface FactorCount {
  readonly factor: Factor;
  readonly waiting: number;
  /** Of those that were refused lately. */
  readonly refused: number;
}

/** What waits for a pause to end. */
export interface WhatWaits {
  readonly waiting: number;
  /** There is more than was looked at. */
  readonly isPart: boolean;
  readonly factors: readonly FactorCount[];
}

interface WaitingRequest {
  readonly program: string;
  readonly operation: Operation | null;
  readonly factor: Factor | null;
  /** Refusals count from then on, epoch ms. */
  readonly refusedSince: number;
}

/** What a factor can say of an intent that nobody has to open for it. */
function factorsOfOrigin({ eventType, store, source }: OriginCount): Factor[] {
  return [
    `event-type:${eventType}`,
    ...(store === null ? [] : [`store:${store}` as const]),
    ...(source === null ? [] : [`source:${source}` as const]),
  ];
}

function countsByFactor(rows: readonly OriginCount[]): ReadonlyMap<Factor, number> {
  const counts = new Map<Factor, number>();
  for (const row of rows) {
    for (const factor of factorsOfOrigin(row)) counts.set(factor, (counts.get(factor) ?? 0) + row.count);
  }
  return counts;
}

/** Counts what a pause holds by what it has in common, beside what of the same was refused: so that only that need stay held. */
@Injectable()
export class WaitingRepository {
  constructor(private readonly database: Database) {}

  async read({ program, operation, factor, refusedSince }: WaitingRequest): Promise<WhatWaits> {
    const isWhole = operation === null && factor === null;
    const range = isWhole ? null : deferredRange({ operation, factor });
    const parameters = [
      program,
      range === null ? '-infinity' : timestamp(range.from),
      range === null ? 'infinity' : timestamp(range.to),
      operation,
    ];
    const { rows: waits } = await this.database.execute<OriginCount>(waitingStatement, parameters);
    const { rows: refusals } = await this.database.execute<OriginCount>(refusedStatement, [
      program,
      timestamp(refusedSince),
      operation,
    ]);
    const [waiting, refused] = [countsByFactor(waits), countsByFactor(refusals)];
    const factors = [...new Set([...waiting.keys(), ...refused.keys()])].map((each) => ({
      factor: each,
      waiting: waiting.get(each) ?? 0,
      refused: refused.get(each) ?? 0,
    }));
    return {
      waiting: waits.reduce((sum, { count }) => sum + count, 0),
      isPart: waits.some(({ isPart }) => isPart),
      factors: factors
        .filter((each) => each.factor !== factor)
        .toSorted((one, other) => other.refused - one.refused || other.waiting - one.waiting)
        .slice(0, factorsMax),
    };
  }
}
