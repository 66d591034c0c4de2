import type { ThingState } from '#domain';
import type { Database } from '#platform';

import { appendProvisioned } from './append-provisioned.js';
import { findProvisioned } from './find-provisioned.js';
import type { ProvisionedThing, ProvisionEvidence } from './provisioned.js';

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

/**
 * Writes what became of a call. Where it was given up meanwhile as unknown, an answer settles that: it was only late.
 * @returns the row; null where a person has said before what became of it: nothing is written
 */
export async function settleProvisioned(
  database: Pick<Database, 'execute'>,
  begun: ProvisionedThing,
  outcome: ProvisionOutcome,
): Promise<ProvisionedThing | null> {
  const row = settledThing(begun, outcome);
  if (await appendProvisioned(database, row)) return row;
  const last = await findProvisioned(database, begun);
  if (last?.stepId !== begun.stepId) return null;
  if (isOurs(last, row)) return last;
  const late = settledThing(last, outcome);
  return last.state === 'unknown' && (await appendProvisioned(database, late)) ? late : null;
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
