import type { Database, SqlStatement } from '#platform';

/** Counted at most: whoever asks wants to know whether there are any, and about how many. */
export const strayEventsMax = 100_000;

const statement: SqlStatement = {
  name: 'count_stray_events',
  text: `SELECT count(*) AS strays FROM (SELECT FROM intent_event_default LIMIT ${strayEventsMax}) s`,
};

/** Events in the default partition: those made ahead were full. */
export async function countStrayEvents(database: Database): Promise<number> {
  return (await database.execute<{ strays: number }>(statement)).rows[0]?.strays ?? 0;
}
