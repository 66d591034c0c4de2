import type { Database, SqlStatement } from '../database.js';

const statement: SqlStatement = {
  name: 'inspect_settings',
  text: `SELECT name, setting FROM pg_settings WHERE name = ANY ($1::text[])`,
};

/** Settings of the server as our connections have them, by name, in the units of `pg_settings`. */
export async function inspectSettings(
  database: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await database.execute<{ name: string; setting: string }>(statement, [names]);
  return new Map(rows.map(({ name, setting }) => [name, setting]));
}
