import type { IntentStatus } from '#domain';
import type { Database, SqlStatement } from '#platform';

import { standingQuery } from './standing.js';

const statement: SqlStatement = {
  name: 'count_standings',
  text: `
WITH standing AS (${standingQuery})
SELECT COALESCE(s.status, 'pending') AS status, count(*) AS intents
FROM intent i LEFT JOIN standing s USING (lane_id, seq) GROUP BY 1`,
};

export type StandingCounts = Readonly<Record<IntentStatus, number>>;

const none: StandingCounts = {
  waiting: 0,
  pending: 0,
  delivering: 0,
  unknown: 0,
  delivered: 0,
  parked: 0,
  cancelled: 0,
};

/** How many intents stand how. Reads every event there is: for `dev`, the demo and tests, not for a large store. */
export async function countStandings(database: Database): Promise<StandingCounts> {
  const { rows } = await database.execute<{ status: IntentStatus; intents: number }>(statement);
  return { ...none, ...Object.fromEntries(rows.map(({ status, intents }) => [status, intents])) };
}
