import type { Database, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'has_stray_events',
  text: `SELECT EXISTS (SELECT FROM intent_event_default) AS "hasStray"`,
};

/** Whether events lie in the default partition: the ones made ahead are full. */
export async function hasStrayEvents(database: Database): Promise<boolean> {
  const { rows } = await database.execute<{ hasStray: boolean }>(statement);
  return rows[0]?.hasStray === true;
}
