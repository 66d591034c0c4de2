import { Injectable } from '@nestjs/common';

import type { RecordedThing, ThingKey, ThingState } from '#intents/core';
import { isInDoubt } from '#intents/core';
import type { AuditContext } from '#intents';
import { holdRunningJob, recordAction, timestamp, within } from '#intents';
import type { SqlSession, SqlStatement } from '#platform';
import { Database, SafeError } from '#platform';

/** What came of a call, for people. Nothing personal: a refusal's wording is masked. */
export type ProvisionEvidence = Readonly<Record<string, unknown>>;

/** The newest row of a thing, with what it says for people. */
export interface ProvisionedThing extends RecordedThing {
  readonly evidence: ProvisionEvidence | null;
}

/** SQL: the columns of a `ProvisionedThing`. */
const provisionedColumns = `kind, brand_id AS "brandId", nullif(program_id, '') AS "programId",
  nullif(type_id, '') AS "transactionTypeId", name, version, step_id AS "stepId", action, state, content, placed,
  partner_id AS "partnerId", at, until, job_id AS "jobId", actor, evidence`;

/** The key's columns, in the order of the table's primary key. */
function keyParameters({ brandId, programId, kind, transactionTypeId, name }: ThingKey): string[] {
  return [brandId, programId ?? '', kind, transactionTypeId ?? '', name];
}

const appendProvisionedStatement: SqlStatement = {
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
 * @returns false where another one was first; nothing is written
 */
async function appendProvisioned(database: Pick<Database, 'execute'>, row: ProvisionedThing): Promise<boolean> {
  const { version, stepId, action, state, content, placed, partnerId, at, until, jobId, actor, evidence } = row;
  const { rowCount } = await database.execute(appendProvisionedStatement, [
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

const findProvisionedStatement: SqlStatement = {
  name: 'find_provisioned',
  text: `
SELECT ${provisionedColumns} FROM provisioned
WHERE brand_id = $1 AND program_id = $2 AND kind = $3 AND type_id = $4 AND name = $5
ORDER BY version DESC LIMIT 1`,
};

/** The newest row of a thing; null where we never did anything about it. */
async function findProvisioned(database: Pick<Database, 'execute'>, key: ThingKey): Promise<ProvisionedThing | null> {
  return (await database.execute<ProvisionedThing>(findProvisionedStatement, keyParameters(key))).rows[0] ?? null;
}

/** Things that are read at once. To leave one out would be to make it again, so that more of them are an error. */
const provisionedMax = 20_000;

class TooMuchProvisionedError extends SafeError {
  override readonly name = 'TooMuchProvisionedError';

  constructor() {
    super(`more than ${provisionedMax} things were set up at the partner: name a program`);
  }
}

const listProvisionedStatement: SqlStatement = {
  name: 'list_provisioned',
  text: `
SELECT DISTINCT ON (brand_id, program_id, kind, type_id, name) ${provisionedColumns} FROM provisioned
WHERE $1::text IS NULL OR (brand_id = $1 AND program_id = ANY ($2::text[]))
ORDER BY brand_id, program_id, kind, type_id, name, version DESC LIMIT ${provisionedMax + 1}`,
};

/** How a call ended. */
export interface ProvisionOutcome {
  readonly state: Exclude<ThingState, 'begun'>;
  /** The id that the partner answered; null keeps the one that is known. */
  readonly partnerId: string | null;
  /** Epoch ms. */
  readonly at: number;
  /** Not to be tried again before then; null: whenever. Epoch ms. */
  readonly until: number | null;
  readonly evidence: ProvisionEvidence;
}

/** What was written, and only its acknowledgement was lost. */
function isOurs(last: ProvisionedThing, { version, state }: ProvisionedThing): boolean {
  return last.version === version && last.state === state && last.actor === null;
}

/** The row that an outcome makes of the one before. */
export function settledThing(before: ProvisionedThing, outcome: ProvisionOutcome): ProvisionedThing {
  const { partnerId, ...rest } = outcome;
  const isDone = outcome.state === 'created' || outcome.state === 'updated';
  return {
    ...before,
    ...rest,
    version: before.version + 1,
    placed: isDone ? before.content : before.placed,
    partnerId: partnerId ?? before.partnerId,
  };
}

/** An operator's decision on a call whose outcome is unknown. */
export interface ProvisionResolution {
  readonly stepId: string;
  /** `created`: it took effect. `not-created`: it did not, and it never will. */
  readonly as: 'created' | 'not-created';
  /** The partner's id of what was made; null where it is not known, or known already. */
  readonly partnerId: string | null;
  readonly audit: AuditContext;
}

type ResolveProvisionedResult =
  | { readonly kind: 'resolved'; readonly thing: ProvisionedThing }
  | { readonly kind: 'no-such-step' }
  /** It is not in doubt, or no longer: another operator was first, an answer came late, or it is still awaited. */
  | { readonly kind: 'not-in-doubt'; readonly thing: ProvisionedThing }
  /** A later change needs its id. */
  | { readonly kind: 'id-needed' };

const stepStatement: SqlStatement = {
  name: 'find_provisioned_step',
  text: `SELECT ${provisionedColumns} FROM provisioned WHERE step_id = $1::uuid ORDER BY version DESC LIMIT 1`,
};

async function resolve(session: SqlSession, resolution: ProvisionResolution): Promise<ResolveProvisionedResult> {
  const { stepId, audit } = resolution;
  const [step] = (await session.query<ProvisionedThing>(stepStatement, [stepId])).rows;
  const last = step === undefined ? null : await findProvisioned(within(session), step);
  if (last === null) return { kind: 'no-such-step' };
  if (last.stepId !== stepId || !isInDoubt(last, audit.at)) return { kind: 'not-in-doubt', thing: last };
  const resolved = resolvedThing(last, resolution);
  if (isIdMissing(resolved)) return { kind: 'id-needed' };
  if (!(await appendProvisioned(within(session), resolved))) return { kind: 'not-in-doubt', thing: last };
  const { kind, brandId, programId, name, partnerId } = resolved;
  const detail = { step: stepId, as: resolution.as, kind, brandId, programId, name, partnerId };
  await recordAction(session, { audit, action: 'provision.resolve', place: null, detail });
  return { kind: 'resolved', thing: resolved };
}

function resolvedThing(last: ProvisionedThing, { as, partnerId, audit }: ProvisionResolution): ProvisionedThing {
  const isDone = as === 'created';
  const doneState = last.action === 'create' ? 'created' : 'updated';
  return {
    ...last,
    version: last.version + 1,
    state: isDone ? doneState : 'not-applied',
    placed: isDone ? last.content : last.placed,
    partnerId: isDone ? (partnerId ?? last.partnerId) : last.partnerId,
    ...{ at: audit.at, until: null, jobId: null, actor: audit.actor, evidence: null },
  };
}

function isIdMissing({ kind, state, partnerId }: ProvisionedThing): boolean {
  return kind === 'brand-attribute' && state === 'created' && partnerId === null;
}

/** What was set up at the partner: a row before and after each call, append-only. */
@Injectable()
export class ProvisionedRepository {
  constructor(private readonly database: Database) {}

  /** The newest row of a thing; null where we never did anything about it. */
  async find(key: ThingKey): Promise<ProvisionedThing | null> {
    return findProvisioned(this.database, key);
  }

  /**
   * The newest row of each thing that we ever did something about.
   * @param scope the partner's ids of one program, its brand's things included; null for all
   * @throws {TooMuchProvisionedError}
   */
  async list(scope: { readonly brandId: string; readonly programId: string } | null): Promise<ProvisionedThing[]> {
    const parameters = [scope?.brandId ?? null, ['', scope?.programId ?? '']];
    const { rows } = await this.database.execute<ProvisionedThing>(listProvisionedStatement, parameters);
    if (rows.length > provisionedMax) throw new TooMuchProvisionedError();
    return rows;
  }

  /**
   * Writes the next version of a thing: of those who have read the same version, one does.
   * @returns false where another one was first; nothing is written
   */
  async append(row: ProvisionedThing): Promise<boolean> {
    return appendProvisioned(this.database, row);
  }

  /**
   * Writes that a call is about to be made, while its job runs: no call follows once a stop of the job was answered.
   * @returns false where the job was stopped, or another one was first; nothing is written
   */
  async begin(begun: ProvisionedThing & { readonly jobId: string }): Promise<boolean> {
    return this.database.transaction('begin_provisioned', async (session) => {
      if (!(await holdRunningJob(session, begun.jobId))) return false;
      return appendProvisioned(within(session), begun);
    });
  }

  /**
   * Writes what became of a call. Where it was given up meanwhile as unknown, an answer settles that: it was only late.
   * @returns the row; null where a person has said before what became of it: nothing is written
   */
  async settle(begun: ProvisionedThing, outcome: ProvisionOutcome): Promise<ProvisionedThing | null> {
    const row = settledThing(begun, outcome);
    if (await this.append(row)) return row;
    const last = await this.find(begun);
    if (last?.stepId !== begun.stepId) return null;
    if (isOurs(last, row)) return last;
    const late = settledThing(last, outcome);
    return last.state === 'unknown' && (await this.append(late)) ? late : null;
  }

  /** Stores an operator's decision with its audit entry. Of two concurrent decisions one is refused. */
  async resolve(resolution: ProvisionResolution): Promise<ResolveProvisionedResult> {
    return this.database.transaction('resolve_provisioned', (session) => resolve(session, resolution));
  }
}
