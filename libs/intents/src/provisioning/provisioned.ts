import type { RecordedThing, ThingKey } from '#domain';

/** What came of a call, for people. Nothing personal: a refusal's wording is masked. */
export type ProvisionEvidence = Readonly<Record<string, unknown>>;

/** The newest row of a thing, with what it says for people. */
export interface ProvisionedThing extends RecordedThing {
  readonly evidence: ProvisionEvidence | null;
}

/** SQL: the columns of a `ProvisionedThing`. */
export const provisionedColumns = `kind, brand_id AS "brandId", nullif(program_id, '') AS "programId",
  nullif(type_id, '') AS "transactionTypeId", name, version, step_id AS "stepId", action, state, content, placed,
  partner_id AS "partnerId", at, until, job_id AS "jobId", actor, evidence`;

/** The key's columns, in the order of the table's primary key. */
export function keyParameters({ brandId, programId, kind, transactionTypeId, name }: ThingKey): string[] {
  return [brandId, programId ?? '', kind, transactionTypeId ?? '', name];
}
