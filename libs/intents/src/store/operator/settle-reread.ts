import type { IdentityPlace } from '#intents/core';
import { decide } from '#intents/core';
import type { SqlSession } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { appendByOthers, loadIntentState, lockLanes } from '../lanes/locked-lane.js';
import type { AuditContext } from './operator-action.js';
import { recordAction } from './operator-action.js';

/** SQL: whether an event (`e`) tells of a complete 2xx that proved nothing, or something else, as `isUnprovenCode` says. */
export const isUnprovenAnswer = `(e.type IN ('AttemptUnknown', 'LateOutcome')
  AND e.data->>'code' ~ '^((unproven|http)-2[0-9][0-9](-|$)|(foreign-pass|answered-otherwise)$)')`;

/** An answer that proves its attempt by the dialect of now. */
export interface ProvenAnswer extends IdentityPlace {
  readonly attempt: number;
  /** The answer, and by what it was read: kept sealed with what it settles. */
  readonly evidence: string;
}

/**
 * Settles what these answers prove, each with its trace. What has moved since it was looked at stays as it is: asking
 * again changes nothing.
 * @returns those that were settled
 */
export async function settleReread(
  session: SqlSession,
  request: { readonly proven: readonly ProvenAnswer[]; readonly job: string; readonly audit: AuditContext },
  keys: MemberKeys,
): Promise<ProvenAnswer[]> {
  const { proven, job, audit } = request;
  await lockLanes(
    session,
    proven.map(({ laneId }) => laneId),
  );
  const settled: ProvenAnswer[] = [];
  for (const answer of proven) {
    const { laneId, seq, attempt, evidence } = answer;
    const { state } = await loadIntentState(session, answer);
    const decision = decide(state, { type: 'RecordReread', at: audit.at, attempt });
    if (decision.kind === 'ignored') continue;
    for (const event of decision.events) {
      await appendByOthers(session, { laneId, seq, event, evidence, settles: true }, keys);
    }
    await recordAction(session, {
      audit,
      action: 'reread.settle',
      place: { laneId, seq },
      detail: { job, attempt },
    });
    settled.push(answer);
  }
  return settled;
}
