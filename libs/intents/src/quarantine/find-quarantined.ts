import type { Database, SqlStatement } from '#platform';

import type { BrowsedRecord, BrowsedRow } from './browsed-record.js';
import { browsedColumns, browsedRecord, browsedTables } from './browsed-record.js';

const statement: SqlStatement = {
  name: 'find_quarantined',
  text: `SELECT ${browsedColumns} FROM ${browsedTables} WHERE q.quarantine_id = $1::bigint`,
};

/** Null where there is none of that id. */
export async function findQuarantined(
  database: Pick<Database, 'execute'>,
  quarantineId: number,
): Promise<BrowsedRecord | null> {
  const [row] = (await database.execute<BrowsedRow>(statement, [quarantineId])).rows;
  return row === undefined ? null : browsedRecord(row);
}
