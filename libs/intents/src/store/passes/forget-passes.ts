import type { SqlParameter, SqlResult, SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

/** Lanes in one statement. */
const forgetPassesMax = 5_000;

/** In lane order. Of the lane itself: its seq is 0, the seq of no intent. Whoever holds one of them reads it before its next begin. */
const forgetPassesStatement: SqlStatement = {
  name: 'forget_passes',
  mayTakeLong: true,
  text: `
WITH known AS MATERIALIZED (
  SELECT lane_id FROM lane WHERE program_id = $1 AND pass = 'known' AND lane_id > $2::bigint
  ORDER BY lane_id LIMIT ${forgetPassesMax} FOR NO KEY UPDATE
), gone AS (
  UPDATE lane l SET pass = 'absent', version = version + 1, revision = revision + 1 FROM known
  WHERE l.lane_id = known.lane_id RETURNING l.lane_id, l.version, l.epoch
), noted AS (
  INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at)
  SELECT lane_id, 0, version, 0, epoch, 'PassAbsent', $3::timestamptz FROM gone
)
SELECT max(lane_id) AS last FROM gone`,
};

/** A program has become another one of the partner's: no card of before is one there, as if each were noticed to be gone. */
export async function forgetPasses(session: SqlSession, program: string, at: number): Promise<void> {
  let last: number | null = 0;
  while (last !== null) {
    const parameters: SqlParameter[] = [program, last, timestamp(at)];
    const { rows }: SqlResult<{ last: number | null }> = await session.query(forgetPassesStatement, parameters);
    last = rows[0]?.last ?? null;
  }
}
