import type { Database, SqlStatement } from '#platform';

import type { QuarantineFilter } from './quarantine-filter.js';
import { filterCondition, filterParameters } from './quarantine-filter.js';
import type { QuarantinePlace } from './quarantine-place.js';

const statement: SqlStatement = {
  name: 'count_quarantined',
  text: `
SELECT count(*) FROM quarantine q
WHERE q.state = 'open' AND (q.topic, q.partition, q.quarantine_id) > ($6::text, $7::int, $8::bigint) AND ${filterCondition}`,
};

/** How many records after a place nobody has dealt with. */
export async function countQuarantined(
  database: Database,
  { filter, after }: { readonly filter: QuarantineFilter; readonly after: QuarantinePlace },
): Promise<number> {
  const parameters = [...filterParameters(filter), after.topic, after.partition, after.quarantineId];
  return (await database.execute<{ count: number }>(statement, parameters)).rows[0]?.count ?? 0;
}
