import type { ThingKey } from '#domain';
import type { Database, SqlStatement } from '#platform';

import type { ProvisionedThing } from './provisioned.js';
import { keyParameters, provisionedColumns } from './provisioned.js';

const statement: SqlStatement = {
  name: 'find_provisioned',
  text: `
SELECT ${provisionedColumns} FROM provisioned
WHERE brand_id = $1 AND program_id = $2 AND kind = $3 AND type_id = $4 AND name = $5
ORDER BY version DESC LIMIT 1`,
};

/** The newest row of a thing; null where we never did anything about it. */
export async function findProvisioned(
  database: Pick<Database, 'execute'>,
  key: ThingKey,
): Promise<ProvisionedThing | null> {
  return (await database.execute<ProvisionedThing>(statement, keyParameters(key))).rows[0] ?? null;
}
