import type { Database, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'find_tally_lag',
  text: `
SELECT (SELECT e.at FROM intent_event e WHERE e.pos > c.pos ORDER BY e.pos LIMIT 1) AS since FROM tally_checkpoint c`,
};

/** When the first event happened that the counts of settled intents do not hold yet, epoch ms; null: they hold all. */
export async function findTallyLag(database: Database): Promise<number | null> {
  return (await database.execute<{ since: number | null }>(statement)).rows[0]?.since ?? null;
}
