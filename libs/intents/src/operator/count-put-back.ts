import type { IdentityPlace } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

/** What was put back so often without success needs somebody who insists. */
export const replaysWithoutForceMax = 5;

const statement: SqlStatement = {
  name: 'count_put_back',
  text: `
SELECT count(*)::int AS times FROM intent_event
WHERE lane_id = $1 AND seq = $2
  AND (type = 'IntentReplayed' OR (type = 'IntentResolved' AND data->>'as' = 'not-delivered'))`,
};

/**
 * How often people have put an intent back to be sent again: by a replay, or by their word that it was not delivered,
 * which sends it just as well. The lane must be locked, so that two of them do not both come just below the limit.
 */
export async function countPutBack(session: SqlSession, { laneId, seq }: IdentityPlace): Promise<number> {
  return (await session.query<{ times: number }>(statement, [laneId, seq])).rows[0]?.times ?? 0;
}
