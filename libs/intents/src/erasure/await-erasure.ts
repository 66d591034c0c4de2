import type { SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

const statement: SqlStatement = {
  name: 'await_erasure',
  text: `
INSERT INTO erasure (lane_id, until_seq, requested_at) VALUES ($1, $2, $3::timestamptz)
ON CONFLICT (lane_id) DO UPDATE SET until_seq = EXCLUDED.until_seq`,
};

/** The key that seals what the member's leaving itself has caused goes, too, once that is settled. */
export async function awaitErasure(
  session: SqlSession,
  erasure: { readonly laneId: number; readonly untilSeq: number; readonly now: number },
): Promise<void> {
  const { laneId, untilSeq, now } = erasure;
  await session.query(statement, [laneId, untilSeq, timestamp(now)]);
}
