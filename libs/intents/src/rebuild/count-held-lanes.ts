import type { SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

const statement: SqlStatement = {
  name: 'count_held_lanes',
  text: 'SELECT count(*) AS held FROM lane WHERE owner IS NOT NULL AND due_at > $1::timestamptz',
};

/** Lanes under a lease that has not ended. */
export async function countHeldLanes(session: SqlSession, now: number): Promise<number> {
  const { rows } = await session.query<{ held: number }>(statement, [timestamp(now)]);
  return rows[0]?.held ?? 0;
}
