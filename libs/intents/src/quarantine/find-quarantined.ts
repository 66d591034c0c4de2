import type { Database, SqlStatement } from '#platform';

import type { BrowsedRecord } from './browse-quarantine.js';
import { browsedColumns } from './browse-quarantine.js';

const statement: SqlStatement = {
  name: 'find_quarantined',
  text: `SELECT ${browsedColumns} FROM quarantine WHERE quarantine_id = $1::bigint`,
};

/** Null where there is none of that id. */
export async function findQuarantined(database: Database, quarantineId: number): Promise<BrowsedRecord | null> {
  return (await database.execute<BrowsedRecord>(statement, [quarantineId])).rows[0] ?? null;
}
