import { quarantineBulkMax } from '#contracts';
import type { Database, SqlStatement } from '#platform';

import type { QuarantineFilter } from './quarantine-filter.js';
import { filterCondition, filterParameters } from './quarantine-filter.js';
import type { QuarantinePlace } from './quarantine-place.js';

export const nextStatement: SqlStatement = {
  name: 'next_quarantined',
  text: `
SELECT q.topic, q.partition, q.quarantine_id AS "quarantineId" FROM quarantine q
WHERE q.state = 'open' AND (q.topic, q.partition, q.quarantine_id) > ($6::text, $7::int, $8::bigint) AND ${filterCondition}
ORDER BY q.topic, q.partition, q.quarantine_id LIMIT ${quarantineBulkMax}`,
};

/** Records that nobody has dealt with, in the order in which they came, after a place; at most `quarantineBulkMax`. */
export async function nextQuarantined(
  database: Database,
  { filter, after }: { readonly filter: QuarantineFilter; readonly after: QuarantinePlace },
): Promise<QuarantinePlace[]> {
  const parameters = [...filterParameters(filter), after.topic, after.partition, after.quarantineId];
  return (await database.execute<QuarantinePlace>(nextStatement, parameters)).rows;
}
