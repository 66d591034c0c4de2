import type { HoldTarget } from '#intents/core';
import { factsOf, PRIORITIES } from '#intents/core';
import type { Database, SqlStatement } from '#platform';
import { timestamptzArray } from '#platform';

import { timestamp } from '../events/stored-event.js';

/** Due times from `from` to `to`, both included; epoch ms. */
export interface DueRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Later than any real due time. A lane whose next intent is held is deferred into the range of what holds it: it costs no further
 * claim, and lifting the pause finds exactly these lanes by the index that claims use. All ranges end in the year 7153.
 */
const deferredFrom = Date.UTC(3000, 0, 1);
/** Within its range a lane lies by when it was deferred: a millisecond for each second since 1970, until the year 2096. */
const rangeMs = 4_000_000_000;

/** Those below are the operations' own (`factsOf`). */
const firstFactorSlot = 16;
const slotsMax = 32_768;

/** Two factors may share a slot: then some lanes are claimed once more and deferred again. */
function slotOf({ operation, factor }: HoldTarget): number {
  if (factor === null && operation !== null) return factsOf(operation).slot;
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${operation ?? '*'} ${factor}`)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return firstFactorSlot + (hash % (slotsMax - firstFactorSlot));
}

/** Where lanes lie that are held by this. `fresh`: those of which no call was tried since it is held. */
export function deferredRange(target: HoldTarget): DueRange & { readonly fresh: DueRange } {
  const from = deferredFrom + slotOf(target) * rangeMs;
  const to = from + rangeMs - 1;
  return { from, to, fresh: { from: from + 1, to } };
}

/** When a lane is due that is held by this, epoch ms. @param at when it was deferred; null: a call of it has failed since it is held */
export function deferredUntil(target: HoldTarget, at: number | null): number {
  const { from } = deferredRange(target);
  return at === null ? from : from + Math.floor(at / 1_000);
}

/** Where lanes lie that are held by none of these: ranges in order, without overlap. */
export function notHeldRanges(held: readonly HoldTarget[]): DueRange[] {
  const ranges: DueRange[] = [];
  let from = deferredFrom;
  for (const slot of [...new Set(held.map(slotOf))].toSorted((one, other) => one - other)) {
    const start = deferredFrom + slot * rangeMs;
    if (start > from) ranges.push({ from, to: start - 1 });
    from = start + rangeMs;
  }
  return [...ranges, { from, to: deferredFrom + slotsMax * rangeMs }];
}

/** Lanes made due by one call, at most: a million of them must not be one transaction. */
export const resumeLanesMax = 2_000;

/** Deferred lanes of a program. */
export interface DeferredLanes extends DueRange {
  readonly program: string;
}

/** ORDER BY keeps the planner on the index: without it one call took 1.2 s instead of 0.5 ms among a million deferred lanes (measured). */
function resumeText(limit: number, order: 'ASC' | 'DESC'): string {
  return `
WITH found AS MATERIALIZED (
  SELECT l.lane_id
  FROM unnest($1::text[], $2::timestamptz[], $4::timestamptz[]) AS w (program_id, from_at, to_at)
  CROSS JOIN LATERAL (
    SELECT lane_id FROM unnest('{${PRIORITIES.join(',')}}'::int[]) AS p (level)
    CROSS JOIN LATERAL (
      SELECT lane_id, due_at FROM lane
      WHERE lane.program_id = w.program_id AND lane.priority = p.level AND lane.due_at >= w.from_at AND lane.due_at <= w.to_at
      ORDER BY lane.due_at ${order}
      LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED) of_level
    ORDER BY due_at ${order} LIMIT ${limit}
  ) l
  LIMIT ${resumeLanesMax}
)
UPDATE lane SET due_at = $3::timestamptz WHERE lane_id = ANY (ARRAY(SELECT lane_id FROM found))`;
}

export const resumeLanesStatement: SqlStatement = { name: 'resume_lanes', text: resumeText(resumeLanesMax, 'ASC') };
const recallLaneStatement: SqlStatement = { name: 'recall_lane', text: resumeText(1, 'DESC') };

interface ResumeRequest {
  readonly targets: readonly DeferredLanes[];
  readonly now: number;
}

/**
 * Makes deferred lanes due, some at a time. Lanes that another replica resumes at this moment are skipped.
 * @returns how many; `resumeLanesMax` or more means that there may be others
 */
export async function resumeLanes(database: Database, request: ResumeRequest): Promise<number> {
  return makeDue(database, resumeLanesStatement, request);
}

/** Makes one deferred lane of each range due, the last one deferred. @returns how many */
export async function recallLane(database: Database, request: ResumeRequest): Promise<number> {
  return makeDue(database, recallLaneStatement, request);
}

async function makeDue(database: Database, statement: SqlStatement, { targets, now }: ResumeRequest): Promise<number> {
  if (targets.length === 0) return 0;
  const { rowCount } = await database.execute(statement, [
    targets.map(({ program }) => program),
    timestamptzArray(targets.map(({ from }) => from)),
    timestamp(now),
    timestamptzArray(targets.map(({ to }) => to)),
  ]);
  return rowCount;
}
