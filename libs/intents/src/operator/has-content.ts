import type { IdentityPlace } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

/** An intent that was parked when it was recorded has no command, until somebody gives it one. Erased is erased. */
const statement: SqlStatement = {
  name: 'has_content',
  text: `
SELECT NOT EXISTS (SELECT FROM member WHERE lane_id = $1 AND erased_seq >= $2::int) AND (NOT EXISTS (
    SELECT FROM intent_event WHERE lane_id = $1 AND seq = $2 AND type = 'IntentParked'
      AND data->>'reason' IN ('unroutable', 'merged'))
  OR EXISTS (SELECT FROM intent_event WHERE lane_id = $1 AND seq = $2 AND type = 'IntentCorrected')) AS content`,
};

/** Whether there is something to send to the partner. */
export async function hasContent(session: SqlSession, { laneId, seq }: IdentityPlace): Promise<boolean> {
  return (await session.query<{ content: boolean }>(statement, [laneId, seq])).rows[0]?.content === true;
}
