import type { Operation } from '#intents/core';
import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

/**
 * Later than any real due time. A lane whose next intent is of a paused operation is deferred to the mark of that
 * operation: it costs no further claim, and lifting the pause finds exactly these lanes by the index that claims use.
 */
const marksFrom = Date.UTC(3000, 0, 1);

/** Written into rows: a number never changes its meaning, new operations get new ones. */
const marks: Readonly<Record<Operation, number>> = {
  issue: 1,
  'issue-via-workflow': 2,
  'update-via-workflow': 3,
  transaction: 4,
  reward: 5,
  'schedule-update': 6,
};

/** When a lane is due that waits for the end of its operation's pause, epoch ms. */
export function deferredUntil(operation: Operation): number {
  return marksFrom + marks[operation];
}

/** Lanes made due by one call, at most: a million of them must not be one transaction. */
export const resumeLanesMax = 2_000;

/**
 * The marks are looked up one by one: a scan over all of them would also read the lanes that stay deferred. ORDER BY keeps
 * the planner on the index: without it one call took 1.2 s instead of 0.5 ms among a million deferred lanes (measured).
 */
export const resumeLanesStatement: SqlStatement = {
  name: 'recall_lanes',
  text: `
WITH found AS MATERIALIZED (
  SELECT l.lane_id
  FROM unnest($1::text[], $2::timestamptz[]) AS w (program_id, due_at)
  CROSS JOIN LATERAL (
    SELECT lane_id FROM lane
    WHERE lane.program_id = w.program_id AND lane.due_at >= w.due_at AND lane.due_at <= w.due_at
    ORDER BY lane.due_at
    LIMIT ${resumeLanesMax} FOR NO KEY UPDATE SKIP LOCKED
  ) l
  LIMIT ${resumeLanesMax}
)
UPDATE lane SET due_at = $3::timestamptz WHERE lane_id = ANY (ARRAY(SELECT lane_id FROM found))`,
};

/**
 * Makes lanes due that were deferred for a pause of these operations, some at a time. Lanes that another replica resumes
 * at this moment are skipped.
 * @returns how many; `resumeLanesMax` or more means that there may be others
 */
export async function resumeLanes(
  database: Database,
  request: {
    readonly targets: readonly { readonly program: string; readonly operation: Operation }[];
    readonly now: number;
  },
): Promise<number> {
  const { targets, now } = request;
  if (targets.length === 0) return 0;
  const { rowCount } = await database.execute(resumeLanesStatement, [
    targets.map(({ program }) => program),
    targets.map(({ operation }) => timestamp(deferredUntil(operation))),
    timestamp(now),
  ]);
  return rowCount;
}
