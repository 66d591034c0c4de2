import { isInDoubt } from '#domain';
import type { Database, SqlSession, SqlStatement } from '#platform';

import { within } from '../coordination/pauses.js';
import type { OperatorWord } from '../operator/operator-action.js';
import { recordAction } from '../operator/operator-action.js';
import { appendProvisioned } from './append-provisioned.js';
import { findProvisioned } from './find-provisioned.js';
import type { ProvisionedThing } from './provisioned.js';
import { provisionedColumns } from './provisioned.js';

/** A person's word on a call of which nobody knows what became of it. */
export interface ProvisionResolution {
  readonly stepId: string;
  /** `created`: it took effect. `not-created`: it did not, and it never will. */
  readonly as: 'created' | 'not-created';
  /** The partner's id of what was made; null where it is not known, or known already. */
  readonly partnerId: string | null;
  readonly word: OperatorWord;
}

export type ResolveProvisionedResult =
  | { readonly kind: 'resolved'; readonly thing: ProvisionedThing }
  | { readonly kind: 'no-such-step' }
  /** It is not in doubt, or no longer: somebody was first, an answer came late, or it is still waited for. */
  | { readonly kind: 'not-in-doubt'; readonly thing: ProvisionedThing }
  /** Whoever wants to change it later needs its id. */
  | { readonly kind: 'id-needed' };

const stepStatement: SqlStatement = {
  name: 'find_provisioned_step',
  text: `SELECT ${provisionedColumns} FROM provisioned WHERE step_id = $1::uuid ORDER BY version DESC LIMIT 1`,
};

async function resolve(session: SqlSession, resolution: ProvisionResolution): Promise<ResolveProvisionedResult> {
  const { stepId, word } = resolution;
  const [step] = (await session.query<ProvisionedThing>(stepStatement, [stepId])).rows;
  const last = step === undefined ? null : await findProvisioned(within(session), step);
  if (last === null) return { kind: 'no-such-step' };
  if (last.stepId !== stepId || !isInDoubt(last, word.at)) return { kind: 'not-in-doubt', thing: last };
  const resolved = resolvedThing(last, resolution);
  if (isIdMissing(resolved)) return { kind: 'id-needed' };
  if (!(await appendProvisioned(within(session), resolved))) return { kind: 'not-in-doubt', thing: last };
  const { kind, brandId, programId, name, partnerId } = resolved;
  const detail = { step: stepId, as: resolution.as, kind, brandId, programId, name, partnerId };
  await recordAction(session, { word, action: 'provisioning.resolve', place: null, detail });
  return { kind: 'resolved', thing: resolved };
}

function resolvedThing(last: ProvisionedThing, { as, partnerId, word }: ProvisionResolution): ProvisionedThing {
  const isDone = as === 'created';
  const doneState = last.action === 'create' ? 'created' : 'updated';
  return {
    ...last,
    version: last.version + 1,
    state: isDone ? doneState : 'not-applied',
    placed: isDone ? last.content : last.placed,
    partnerId: isDone ? (partnerId ?? last.partnerId) : last.partnerId,
    ...{ at: word.at, until: null, jobId: null, actor: word.actor, evidence: null },
  };
}

function isIdMissing({ kind, state, partnerId }: ProvisionedThing): boolean {
  return kind === 'brand-attribute' && state === 'created' && partnerId === null;
}

/** Takes a person at their word, with a trace of it. Of two who say something at once, one is heard. */
export async function resolveProvisioned(
  database: Database,
  resolution: ProvisionResolution,
): Promise<ResolveProvisionedResult> {
  return database.transaction('resolve_provisioned', (session) => resolve(session, resolution));
}
