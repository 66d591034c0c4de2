import type { SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { OperatorWord } from '../operator/record-action.js';
import type { ErasureTrace } from './erasure-trace.js';
import { isOptOut } from './opt-outs.js';

/** The partner denied that there is a pass: there was nothing to tell. */
const hadNoPass = `EXISTS (SELECT FROM intent_event c WHERE c.lane_id = i.lane_id AND c.seq = i.seq
      AND c.type = 'IntentCancelled' AND c.data->>'reason' = 'no-pass')`;

/** Told from the events: an erasure may take several turns, and any process may make each of them. */
const statement: SqlStatement = {
  name: 'measure_erasure',
  text: `
SELECT k.lane_id IS NULL AND fresh.intents = 0 AS "alreadyErased", fresh.intents, fresh.untold AS "optOutsUntold",
  done.cancelled, done.parked AS "parkedAsErased"
FROM member m LEFT JOIN member_key k USING (lane_id)
CROSS JOIN LATERAL (
  SELECT count(*)::int AS intents,
    count(*) FILTER (WHERE ${isOptOut('i')} AND s.status IN ('parked', 'cancelled') AND NOT ${hadNoPass})::int AS untold
  FROM intent i LEFT JOIN intent_standing s USING (lane_id, seq)
  WHERE i.lane_id = m.lane_id AND i.seq > m.erased_seq) fresh
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE e.type = 'IntentCancelled' AND e.data->>'by' = $3 AND e.data->>'reason' = $4)::int AS cancelled,
    count(*) FILTER (WHERE e.type = 'IntentParked' AND e.data->>'reason' = 'erased')::int AS parked
  FROM intent_event e WHERE e.lane_id = m.lane_id AND e.seq > m.erased_seq AND e.at >= $2::timestamptz) done
WHERE m.lane_id = $1`,
};

/** What an erasure has done so far and what it is about to close, right before the key goes. The lane is locked. */
export async function measureErasure(
  session: SqlSession,
  of: { readonly laneId: number; readonly since: number; readonly word: OperatorWord },
): Promise<Omit<ErasureTrace, 'leftUnderWay'>> {
  const { laneId, since, word } = of;
  const parameters = [laneId, timestamp(since), word.actor, word.reason];
  const [measured] = (await session.query<Omit<ErasureTrace, 'leftUnderWay'>>(statement, parameters)).rows;
  if (measured === undefined) throw new Error('a member vanished while it was erased');
  return measured;
}
