import type { SqlSession } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { appendByOthers } from '../lanes/append-by-others.js';
import { findStanding } from './find-standing.js';
import type { BatchPlan, ChangedEnrolment, IntentToPlace } from './plan-batch.js';

function asUpdate({ asUpdate: intent, record, identity }: ChangedEnrolment): IntentToPlace[] {
  return intent === null ? [] : [{ intent, record, identity, ownsIdentity: false }];
}

/**
 * An enrolment that comes again with other content (contracts.md section 1): while nothing of the first one has been
 * begun it corrects it, afterwards it is an update. The lanes are locked.
 * @returns the updates that must still be placed
 */
export async function settleChangedEnrolments(
  session: SqlSession,
  request: { readonly plan: BatchPlan; readonly now: number },
  keys: MemberKeys,
): Promise<IntentToPlace[]> {
  const updates: IntentToPlace[] = [];
  for (const change of request.plan.changedEnrolments) {
    const state = change.of === null ? null : await findStanding(session, change.of);
    const isUntouched = state !== null && state.status === 'pending' && state.attempts === 0;
    if (change.of === null || !isUntouched) {
      updates.push(...asUpdate(change));
      continue;
    }
    const event = { type: 'IntentCorrected', at: request.now, by: 'source-event', reason: 'enrolled-again' } as const;
    const evidence = JSON.stringify({ command: change.intent.command });
    await appendByOthers(session, { ...change.of, event, evidence, settles: false }, keys);
  }
  return updates;
}
