import type { Operation } from '#domain';
import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

/**
 * Beyond any time that a lane could really be due at. A lane whose next intent is of a paused operation is put off to
 * its operation's mark: it costs no further claim, however many there are, and lifting the pause finds exactly these
 * lanes by the index that claims use.
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
export function putOffMark(operation: Operation): number {
  return marksFrom + marks[operation];
}

/** Lanes made due by one call, at most: a million of them must not be one transaction. */
export const recallLanesMax = 2_000;

/**
 * The marks are looked up one by one: a scan over all of them would pass by the lanes that stay put off. The order keeps
 * the planner on the index: without it a sweep beside a million lanes put off took 1.2 s instead of 0.5 ms (measured).
 */
export const recallStatement: SqlStatement = {
  name: 'recall_lanes',
  text: `
WITH found AS MATERIALIZED (
  SELECT l.lane_id
  FROM unnest($1::text[], $2::timestamptz[]) AS w (program_id, due_at)
  CROSS JOIN LATERAL (
    SELECT lane_id FROM lane
    WHERE lane.program_id = w.program_id AND lane.due_at >= w.due_at AND lane.due_at <= w.due_at
    ORDER BY lane.due_at
    LIMIT ${recallLanesMax} FOR NO KEY UPDATE SKIP LOCKED
  ) l
  LIMIT ${recallLanesMax}
)
UPDATE lane SET due_at = $3::timestamptz WHERE lane_id = ANY (ARRAY(SELECT lane_id FROM found))`,
};

/**
 * Makes lanes due that were put off for a pause of these operations, some at a time. Lanes that another replica is just
 * recalling are passed over.
 * @returns how many; `recallLanesMax` or more means that there may be others
 */
export async function recallLanes(
  database: Database,
  request: {
    readonly targets: readonly { readonly program: string; readonly operation: Operation }[];
    readonly now: number;
  },
): Promise<number> {
  const { targets, now } = request;
  if (targets.length === 0) return 0;
  const { rowCount } = await database.execute(recallStatement, [
    targets.map(({ program }) => program),
    targets.map(({ operation }) => timestamp(putOffMark(operation))),
    timestamp(now),
  ]);
  return rowCount;
}
