import type { Database, SqlStatement } from '#platform';

import { isSettling, settledBy, settledStatus } from './settled-event.js';

/** Positions counted in one transaction. */
export const tallyWindowMax = 20_000;

/** Whoever holds the row counts; the others leave it to them. */
const placeStatement: SqlStatement = {
  name: 'lock_tally_checkpoint',
  isRead: true,
  text: 'SELECT pos FROM tally_checkpoint FOR UPDATE SKIP LOCKED',
};

/**
 * The limit and OFFSET 0 keep the planner on the indexes: it knows neither position, and would read whole tables for what
 * it takes to be a part of all events.
 */
const countStatement: SqlStatement = {
  name: 'count_settled',
  text: `
WITH looked AS MATERIALIZED (
  SELECT lane_id, seq, type, data FROM intent_event WHERE pos > $1::bigint AND pos <= $2::bigint
  ORDER BY pos LIMIT ${tallyWindowMax}
), counted AS (
  INSERT INTO settled_tally AS t (program_id, operation, status, intents)
  SELECT m.program_id, i.operation, ${settledStatus}, sum(${settledBy})
  FROM looked e
  CROSS JOIN LATERAL (
    SELECT operation FROM intent WHERE intent.lane_id = e.lane_id AND intent.seq = e.seq OFFSET 0) i
  CROSS JOIN LATERAL (SELECT program_id FROM member WHERE member.lane_id = e.lane_id OFFSET 0) m
  WHERE ${isSettling}
  GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (program_id, operation, status) DO UPDATE SET intents = t.intents + EXCLUDED.intents
)
UPDATE tally_checkpoint SET pos = $2::bigint`,
};

/**
 * Counts what has been settled after the stored position, a window at most, up to a position below which nothing can
 * appear any more. Count and position are stored together: each event counts once.
 * @returns the position up to which is counted now; null while somebody else counts
 */
export async function countSettled(database: Database, final: number): Promise<number | null> {
  return database.transaction('count_settled', async (session) => {
    const from = (await session.query<{ pos: number }>(placeStatement)).rows[0]?.pos;
    if (from === undefined) return null;
    if (from >= final) return from;
    const upto = Math.min(final, from + tallyWindowMax);
    await session.query(countStatement, [from, upto]);
    return upto;
  });
}
