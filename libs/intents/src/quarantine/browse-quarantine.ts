import type { Database, SqlStatement } from '#platform';

import type { BrowsedRecord, BrowsedRow } from './browsed-record.js';
import { browsedColumns, browsedRecord, browsedTables } from './browsed-record.js';
import type { QuarantineFilter } from './quarantine-filter.js';
import { filterCondition, filterParameters } from './quarantine-filter.js';
import type { QuarantineState } from './settlement.js';

export interface QuarantinePageRequest extends QuarantineFilter {
  readonly state: QuarantineState;
  /** The id that the page before ended with; null for the first. */
  readonly before: number | null;
  readonly limit: number;
}

export const browseStatement: SqlStatement = {
  name: 'browse_quarantine',
  text: `
SELECT ${browsedColumns} FROM ${browsedTables}
WHERE q.state = $6 AND q.quarantine_id < $7::bigint AND ${filterCondition}
ORDER BY q.quarantine_id DESC LIMIT $8::int`,
};

/** What was set aside, the newest first. */
export async function browseQuarantine(database: Database, request: QuarantinePageRequest): Promise<BrowsedRecord[]> {
  const { state, before, limit } = request;
  const parameters = [...filterParameters(request), state, before ?? Number.MAX_SAFE_INTEGER, limit];
  return (await database.execute<BrowsedRow>(browseStatement, parameters)).rows.map(browsedRecord);
}
