import type { IgnoredCommandReason } from '#domain';
import { decide, laneDetoursMax, overtakenBy, requeue } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import type { LockedLane } from '../lanes/locked-lane.js';
import { appendByOthers, loadIntentState, lockLane, moveLane } from '../lanes/locked-lane.js';
import type { AuditContext } from '../operator/operator-action.js';
import { recordAction } from '../operator/operator-action.js';

/** An enrolment is made anew so often by reconciliations: a pass that vanishes again and again is for a person. */
export const reissuesMax = 3;

const stateStatement: SqlStatement = {
  name: 'find_reissuable',
  text: `
SELECT l.pass, l.issue_seq AS seq, k.lane_id IS NULL OR l.issue_seq <= m.erased_seq OR r.lane_id IS NOT NULL AS "isErased",
  EXISTS (SELECT FROM intent o WHERE o.lane_id = l.lane_id AND o.seq > l.issue_seq
    AND o.event_type LIKE '%loyalty.member.opted-out.v%') AS "hasOptedOut",
  (SELECT count(*) FROM intent_event e WHERE e.lane_id = l.lane_id AND e.seq = l.issue_seq AND e.type = 'IntentReissued')
    AS reissues, k.wrapped_key AS "wrappedKey"
FROM lane l JOIN member m USING (lane_id) LEFT JOIN member_key k USING (lane_id) LEFT JOIN erasure r USING (lane_id)
WHERE l.lane_id = $1`,
};

const forgetStatement: SqlStatement = {
  name: 'forget_pass',
  text: `UPDATE lane SET pass = 'absent' WHERE lane_id = $1`,
};

interface ReissueState {
  readonly pass: 'unknown' | 'absent' | 'known';
  /** Of the last enrolment; null where there is none. */
  readonly seq: number | null;
  readonly isErased: boolean | null;
  readonly hasOptedOut: boolean;
  readonly reissues: number;
  /** Null once the member's key is destroyed. */
  readonly wrappedKey: Buffer | null;
}

export type RefusedReissue =
  | IgnoredCommandReason
  /** We have no enrolment of the member: the pass was adopted, or found. */
  | 'no-enrolment'
  /** The member has opted out since the enrolment: the pass may be gone on purpose. */
  | 'opted-out'
  /** The lane has learnt something else about the pass meanwhile. */
  | 'pass-unknown'
  | 'reissued-too-often'
  | 'too-many-put-back';

export type ReissueResult =
  { readonly kind: 'done'; readonly seq: number } | { readonly kind: 'refused'; readonly reason: RefusedReissue };

export interface ReissueRequest {
  readonly laneId: number;
  /** The lookup and the count that prove that there is no pass: personal, kept sealed. */
  readonly evidence: string;
  readonly job: string;
  readonly audit: AuditContext;
}

function refused(reason: RefusedReissue): ReissueResult {
  return { kind: 'refused', reason };
}

function obstacle(lane: LockedLane, state: ReissueState): RefusedReissue | null {
  if (state.seq === null) return 'no-enrolment';
  if (state.isErased === true) return 'erased';
  if (state.hasOptedOut) return 'opted-out';
  if (state.pass !== 'known') return 'pass-unknown';
  if (state.reissues >= reissuesMax) return 'reissued-too-often';
  if (lane.attemptOpen) return 'in-flight';
  return lane.cursor.redo.length >= laneDetoursMax ? 'too-many-put-back' : null;
}

/**
 * Opens the member's delivered enrolment again, because the pass that it issued is gone at the partner. It is sent
 * before everything else in the lane, and yields to live traffic. A second request is refused: the enrolment is no
 * longer delivered.
 */
export async function reissuePass(
  session: SqlSession,
  request: ReissueRequest,
  keys: MemberKeys,
): Promise<ReissueResult> {
  const { laneId } = request;
  const lane = await lockLane(session, laneId);
  const state = (await session.query<ReissueState>(stateStatement, [laneId])).rows[0];
  if (lane === null || state === undefined) return refused('not-recorded');
  const reason = obstacle(lane, state);
  const { seq, wrappedKey } = state;
  if (reason !== null || seq === null || wrappedKey === null) return refused(reason ?? 'no-enrolment');
  // This process may never have worked with the member.
  keys.learn(laneId, wrappedKey);
  return reopen(session, { ...request, seq, lane }, keys);
}

async function reopen(
  session: SqlSession,
  request: ReissueRequest & { readonly seq: number; readonly lane: LockedLane },
  keys: MemberKeys,
): Promise<ReissueResult> {
  const { laneId, seq, lane, job, evidence, audit } = request;
  const place = { laneId, seq };
  const { state } = await loadIntentState(session, place);
  const decision = decide(state, {
    type: 'ReissueIntent',
    at: audit.at,
    by: audit.actor,
    reason: audit.reason,
    overtaken: overtakenBy(lane.cursor, seq),
    job,
  });
  if (decision.kind === 'ignored') return refused(decision.reason);
  for (const event of decision.events) {
    await appendByOthers(session, { ...place, event, evidence, settles: true }, keys);
  }
  await session.query(forgetStatement, [laneId]);
  const cursor = requeue(lane.cursor, seq, lane.isBlocked);
  if (cursor !== lane.cursor) await moveLane(session, { laneId, cursor, now: audit.at });
  await recordAction(session, { audit, action: 'reconciliation.reissue', place, detail: { job } });
  return { kind: 'done', seq };
}
