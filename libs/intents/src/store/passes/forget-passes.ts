import type { Database, SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

/** Lanes in one transaction. */
export const forgetPassesMax = 5_000;

/** SQL: whether cards of a program are still to be forgotten: nothing of it is claimed or begun meanwhile. */
export const isMoving = (program: string): string => `EXISTS (SELECT FROM program_move WHERE program_id = ${program})`;

const beginMoveStatement: SqlStatement = {
  name: 'begin_program_move',
  text: `
INSERT INTO program_move (program_id, at) VALUES ($1, $2::timestamptz)
ON CONFLICT (program_id) DO UPDATE SET at = EXCLUDED.at, done_lane_id = 0`,
};

/**
 * A program has become another one of the partner's: no card of before is one there. Takes effect with the transaction: from
 * then on nothing of it is begun until `forgetPasses` has forgotten them all.
 */
export async function beginMove(session: SqlSession, program: string, at: number): Promise<void> {
  await session.query(beginMoveStatement, [program, timestamp(at)]);
}

/**
 * In lane order. Of the lane itself: its seq is 0, the seq of no intent. Whoever holds one of them reads it before its next
 * begin.
 */
const forgetPassesStatement: SqlStatement = {
  name: 'forget_passes',
  mayTakeLong: true,
  text: `
WITH move AS MATERIALIZED (
  SELECT program_id, at, done_lane_id FROM program_move ORDER BY program_id LIMIT 1 FOR UPDATE SKIP LOCKED
), known AS MATERIALIZED (
  SELECT l.lane_id FROM move CROSS JOIN LATERAL (
    SELECT lane_id FROM lane WHERE program_id = move.program_id AND pass = 'known' AND lane_id > move.done_lane_id
    ORDER BY lane_id LIMIT ${forgetPassesMax} FOR NO KEY UPDATE) l
), gone AS (
  UPDATE lane l SET pass = 'absent', version = version + 1, revision = revision + 1 FROM known
  WHERE l.lane_id = known.lane_id RETURNING l.lane_id, l.version, l.epoch
), noted AS (
  INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at)
  SELECT gone.lane_id, 0, gone.version, 0, gone.epoch, 'PassAbsent', move.at FROM gone CROSS JOIN move
), went_on AS (
  UPDATE program_move p SET done_lane_id = g.last FROM move, (SELECT max(lane_id) AS last FROM gone) g
  WHERE p.program_id = move.program_id AND g.last IS NOT NULL
), ended AS (
  DELETE FROM program_move p USING move WHERE p.program_id = move.program_id AND NOT EXISTS (SELECT FROM gone)
)
SELECT move.program_id AS program, (SELECT count(*) FROM gone)::int AS forgotten FROM move`,
};

/** What one call has done. */
export interface ForgottenPasses {
  readonly program: string;
  /** 0: all cards are forgotten, and the program goes on. */
  readonly forgotten: number;
}

/** Forgets some cards of a program that has moved, as if each were noticed to be gone. @returns null: nothing is to be forgotten */
export async function forgetPasses(database: Database): Promise<ForgottenPasses | null> {
  const { rows } = await database.execute<ForgottenPasses>(forgetPassesStatement, []);
  return rows[0] ?? null;
}
