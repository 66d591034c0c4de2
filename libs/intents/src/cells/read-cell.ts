import type { Database, SqlStatement } from '#platform';

import type { CellIdentity } from '../claim-cell.js';

const statement: SqlStatement = {
  name: 'read_cell',
  text: 'SELECT cell_index AS index, cell_count AS count FROM installation WHERE cell_index IS NOT NULL',
};

/** Which share of the members the database holds; null where nothing was consumed into it yet. */
export async function readCell(database: Database): Promise<CellIdentity | null> {
  return (await database.execute<CellIdentity>(statement)).rows[0] ?? null;
}
