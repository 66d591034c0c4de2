import type { Database, SqlStatement } from '#platform';

import type { Pause } from './pause.js';
import { pauseColumns } from './pause.js';

const statement: SqlStatement = {
  name: 'list_pauses',
  text: `SELECT ${pauseColumns} FROM pause WHERE lifted_at IS NULL ORDER BY pause_id`,
};

/** Every pause in force, oldest first. */
export async function listPauses(database: Database): Promise<Pause[]> {
  return (await database.execute<Pause>(statement)).rows;
}
