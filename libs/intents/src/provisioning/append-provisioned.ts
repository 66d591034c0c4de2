import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { ProvisionedThing } from './provisioned.js';
import { keyParameters } from './provisioned.js';

const statement: SqlStatement = {
  name: 'append_provisioned',
  text: `
INSERT INTO provisioned (brand_id, program_id, kind, type_id, name, version, step_id, action, state, content, placed,
  partner_id, at, until, job_id, actor, evidence)
VALUES ($1, $2, $3, $4, $5, $6::int, $7::uuid, $8, $9, $10::jsonb, $11::jsonb, $12, $13::timestamptz, $14::timestamptz,
  $15, $16, $17::jsonb)
ON CONFLICT DO NOTHING`,
};

const jsonOrNull = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

/**
 * Writes the next version of a thing: of those who have read the same version, one does.
 * @returns false where somebody else was first; nothing is written
 */
export async function appendProvisioned(database: Pick<Database, 'execute'>, row: ProvisionedThing): Promise<boolean> {
  const { version, stepId, action, state, content, placed, partnerId, at, until, jobId, actor, evidence } = row;
  const { rowCount } = await database.execute(statement, [
    ...keyParameters(row),
    version,
    stepId,
    action,
    state,
    JSON.stringify(content),
    jsonOrNull(placed),
    partnerId,
    timestamp(at),
    until === null ? null : timestamp(until),
    jobId,
    actor,
    jsonOrNull(evidence),
  ]);
  return rowCount === 1;
}
