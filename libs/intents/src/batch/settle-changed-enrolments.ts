import type { SqlSession } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { appendByOthers } from '../lanes/append-by-others.js';
import { findStanding } from './find-standing.js';
import { isUntouched } from './is-untouched.js';
import type { BatchPlan, ChangedEnrolment, IntentToPlace } from './plan-batch.js';

/**
 * An enrolment that comes again with other content (contracts.md section 1): while nothing of the first one can have
 * taken effect it corrects it, afterwards it is an update, or ignored where the program maps none. The lanes are locked.
 * @returns the updates that must still be placed
 */
export async function settleChangedEnrolments(
  session: SqlSession,
  request: { readonly plan: BatchPlan; readonly now: number },
  keys: MemberKeys,
): Promise<IntentToPlace[]> {
  const updates: IntentToPlace[] = [];
  for (const change of request.plan.changedEnrolments) {
    if (change.of === null || !isUntouched(await findStanding(session, change.of))) {
      updates.push(...asUpdate(change, request.plan));
      continue;
    }
    const event = { type: 'IntentCorrected', at: request.now, by: 'source-event', reason: 'enrolled-again' } as const;
    const evidence = JSON.stringify({ command: change.intent.command });
    await appendByOthers(session, { ...change.of, event, evidence, settles: false }, keys);
  }
  return updates;
}

function asUpdate(
  { asUpdate: intent, record, identity, resultIndex }: ChangedEnrolment,
  plan: BatchPlan,
): IntentToPlace[] {
  if (intent !== null) return [{ intent, record, identity, ownsIdentity: false }];
  plan.results[resultIndex] = { kind: 'ignored', reason: 'not-mapped' };
  return [];
}
