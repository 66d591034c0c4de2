import type { Database, SqlStatement } from '#platform';

const statement: SqlStatement = { name: 'find_tally_position', text: 'SELECT pos FROM tally_checkpoint' };

/** The position up to which settled intents are counted. */
export async function findTallyPosition(database: Database): Promise<number> {
  return (await database.execute<{ pos: number }>(statement)).rows[0]?.pos ?? 0;
}
