import type { IdentityPlace, IgnoredCommandReason, IntentState, PartnerCommand, ProfileMarks } from '#domain';
import {
  consentedPaths,
  decide,
  evolve,
  laneDetoursMax,
  overtakenBy,
  profilePaths,
  requeue,
  wholeProfile,
  withConsentWithdrawn,
} from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import type { StoredMarks } from '../batch/members.js';
import { marksOf } from '../batch/members.js';
import { within } from '../coordination/pauses.js';
import type { MemberKeys } from '../keys/member-keys.js';
import type { LockedLane } from '../lanes/locked-lane.js';
import { appendByOthers, loadIntentState, lockLane, moveLane } from '../lanes/locked-lane.js';
import { loadCommands, loadCommandsMax } from '../operator/load-commands.js';
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
    AS reissues, k.wrapped_key AS "wrappedKey", LEAST(i.occurred_at, i.recorded_at) AS "enrolledAt",
  m.profile_at AS "profileAt", m.profile_marks AS "profileMarks"
FROM lane l JOIN member m USING (lane_id) LEFT JOIN member_key k USING (lane_id) LEFT JOIN erasure r USING (lane_id)
  LEFT JOIN intent i ON i.lane_id = l.lane_id AND i.seq = l.issue_seq
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
  readonly enrolledAt: number | null;
  readonly profileAt: number | null;
  readonly profileMarks: StoredMarks | null;
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
 * before everything else in the lane, and yields to live traffic. Consent that was withdrawn since is not given again. A
 * second request is refused: the enrolment is no longer delivered.
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
  const said = { marks: marksOf(state.profileMarks, state.profileAt), enrolledAt: state.enrolledAt ?? -Infinity };
  return reopen(session, { ...request, seq, lane, said }, keys);
}

/** What has been said of the member's profile, path by path, and when the enrolment was. */
interface SaidSince {
  readonly marks: ProfileMarks;
  readonly enrolledAt: number;
}

const findUpdatesStatement: SqlStatement = {
  name: 'find_updates_since_enrolment',
  text: `
SELECT i.lane_id AS "laneId", i.seq FROM intent i
WHERE i.lane_id = $1 AND i.seq > $2 AND i.operation IN ('update-via-workflow', 'schedule-update')
  AND NOT EXISTS (
    SELECT FROM intent_event e WHERE e.lane_id = i.lane_id AND e.seq = i.seq AND e.type = 'IntentCancelled')
ORDER BY i.seq DESC LIMIT ${loadCommandsMax}`,
};

/**
 * The paths by which an enrolment consents and what was said last does not. Where that has left the truth, nobody knows what
 * it said: consent in doubt is none.
 */
async function withdrawnSince(
  session: SqlSession,
  {
    place,
    command,
    said,
  }: { readonly place: IdentityPlace; readonly command: PartnerCommand; readonly said: SaidSince },
  keys: MemberKeys,
): Promise<string[]> {
  const given = consentedPaths(command);
  if (given.length === 0) return [];
  const { rows } = await session.query<IdentityPlace>(findUpdatesStatement, [place.laneId, place.seq]);
  const updates = (await loadCommands(within(session), rows, keys)).toSorted((a, b) => b.seq - a.seq);
  const newestFirst = updates.flatMap(({ current }) => (current.kind === 'command' ? [current.command] : []));
  const isSaidSince = (name: string): boolean =>
    said.marks.get(name)?.some(({ timeMs }) => timeMs > said.enrolledAt) ?? false;
  return given.filter((path) => {
    const last = newestFirst.find((update) => profilePaths(update).includes(path));
    if (last !== undefined) return !consentedPaths(last).includes(path);
    return isSaidSince(path) || isSaidSince(wholeProfile);
  });
}

/** What is sent anew, where it is not what was sent. @returns the paths of consent that it does not give any more */
async function withdrawConsent(
  session: SqlSession,
  { place, state, said, audit }: { place: IdentityPlace; state: IntentState; said: SaidSince; audit: AuditContext },
  keys: MemberKeys,
): Promise<readonly string[]> {
  const [loaded] = await loadCommands(within(session), [place], keys);
  if (loaded?.current.kind !== 'command') return [];
  const { command } = loaded.current;
  const withdrawn = await withdrawnSince(session, { place, command, said }, keys);
  if (withdrawn.length === 0) return [];
  const decision = decide(state, { type: 'CorrectIntent', at: audit.at, by: audit.actor, reason: audit.reason });
  if (decision.kind === 'ignored') throw new Error(`a pass issued anew cannot lose its consent: ${decision.reason}`);
  const evidence = JSON.stringify({ command: withConsentWithdrawn(command, withdrawn) });
  for (const event of decision.events) {
    await appendByOthers(session, { ...place, event, evidence, settles: false }, keys);
  }
  return withdrawn;
}

async function reopen(
  session: SqlSession,
  request: ReissueRequest & { readonly seq: number; readonly lane: LockedLane; readonly said: SaidSince },
  keys: MemberKeys,
): Promise<ReissueResult> {
  const { laneId, seq, lane, said, job, evidence, audit } = request;
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
  const opened = decision.events.reduce(evolve, state);
  const withdrawn = await withdrawConsent(session, { place, state: opened, said, audit }, keys);
  await session.query(forgetStatement, [laneId]);
  const cursor = requeue(lane.cursor, seq, lane.isBlocked);
  if (cursor !== lane.cursor) await moveLane(session, { laneId, cursor, now: audit.at });
  const detail = { job, ...(withdrawn.length === 0 ? {} : { withdrawn }) };
  await recordAction(session, { audit, action: 'reconciliation.reissue', place, detail });
  return { kind: 'done', seq };
}
