import type { Database, SqlStatement } from '#platform';
import { ToldError } from '#platform';

import type { ProvisionedThing } from './provisioned.js';
import { provisionedColumns } from './provisioned.js';

/** Things that are read at once. To leave one out would be to make it again, so that more of them are an error. */
export const provisionedMax = 20_000;

export class TooMuchProvisionedError extends ToldError {
  override readonly name = 'TooMuchProvisionedError';

  constructor() {
    super(`more than ${provisionedMax} things were set up at the partner: name a program`);
  }
}

const statement: SqlStatement = {
  name: 'list_provisioned',
  text: `
SELECT DISTINCT ON (brand_id, program_id, kind, type_id, name) ${provisionedColumns} FROM provisioned
WHERE $1::text IS NULL OR (brand_id = $1 AND program_id = ANY ($2::text[]))
ORDER BY brand_id, program_id, kind, type_id, name, version DESC LIMIT ${provisionedMax + 1}`,
};

/**
 * The newest row of each thing that we ever did something about.
 * @param scope the partner's ids of one program, its brand's things included; null for all
 * @throws {TooMuchProvisionedError}
 */
export async function listProvisioned(
  database: Pick<Database, 'execute'>,
  scope: { readonly brandId: string; readonly programId: string } | null,
): Promise<ProvisionedThing[]> {
  const parameters = [scope?.brandId ?? null, ['', scope?.programId ?? '']];
  const { rows } = await database.execute<ProvisionedThing>(statement, parameters);
  if (rows.length > provisionedMax) throw new TooMuchProvisionedError();
  return rows;
}
