import type {
  IdentityPlace,
  IgnoredCommandReason,
  IntentEvent,
  IntentState,
  PartnerCommand,
  ProfileMarks,
} from '#intents/core';
import {
  consentedPaths,
  decide,
  evolve,
  isWithdrawn,
  enrolledAgain,
  laneDetoursMax,
  overtakenBy,
  profilePaths,
  requeue,
  wholeProfile,
  withConsentWithdrawn,
} from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';

import type { StoredMarks } from '../batch/members.js';
import { marksOf } from '../batch/members.js';
import { within } from '../coordination/pauses.js';
import type { MemberKeys } from '../keys/member-keys.js';
import type { LockedLane } from '../lanes/lane-locks.js';
import { lockLane } from '../lanes/lane-locks.js';
import { appendByOthers, loadIntentState, moveLane } from '../lanes/locked-lane.js';
import { loadCommands } from '../operator/load-commands.js';
import type { AuditContext } from '../operator/operator-action.js';
import { recordAction } from '../operator/operator-action.js';
import type { CardUpdate } from './changed-card.js';
import { asChanged, findUpdates } from './changed-card.js';

/** An enrolment is made anew so often by reconciliations: a pass that vanishes again and again is for a person. */
export const reissuesMax = 3;

const stateStatement: SqlStatement = {
  name: 'find_reissuable',
  text: `
SELECT l.pass, l.issue_seq AS seq, k.lane_id IS NULL OR l.issue_seq <= m.erased_seq OR r.lane_id IS NOT NULL AS "isErased",
  m.left_at IS NOT NULL AND m.back_at IS NULL AS "hasLeft",
  (SELECT count(*) FROM intent_event e WHERE e.lane_id = l.lane_id AND e.seq = l.issue_seq AND e.type = 'IntentReissued')
    AS reissues, k.wrapped_key AS "wrappedKey", LEAST(i.occurred_at, i.recorded_at) AS "enrolledAt",
  m.merged_into IS NOT NULL AS "isMerged", m.profile_at AS "profileAt", m.profile_marks AS "profileMarks"
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
  readonly hasLeft: boolean;
  readonly reissues: number;
  readonly isMerged: boolean;
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
  /** The member has left the program, or wants no card in the wallet: the pass may be gone on purpose. */
  | 'opted-out'
  /** The member lives on in another one: as it is gone, it stays. */
  | 'merged'
  /** The lane has learnt something else about the pass meanwhile. */
  | 'pass-unknown'
  | 'reissued-too-often'
  | 'too-many-put-back';

type Refused = { readonly kind: 'refused'; readonly reason: RefusedReissue };
export type ReissueResult = { readonly kind: 'done'; readonly seq: number } | Refused;

export interface ReissueRequest {
  readonly laneId: number;
  /** The lookup and the count that prove that there is no pass: personal, kept sealed. */
  readonly evidence: string;
  readonly job: string;
  readonly audit: AuditContext;
}

function refused(reason: RefusedReissue): Refused {
  return { kind: 'refused', reason };
}

function obstacle(lane: LockedLane, state: ReissueState, { marks }: SaidSince): RefusedReissue | null {
  if (state.seq === null) return 'no-enrolment';
  if (state.isErased === true) return 'erased';
  if (state.hasLeft || isWithdrawn(marks, 'passdata.optOut')) return 'opted-out';
  if (state.isMerged) return 'merged';
  if (state.pass === 'unknown') return 'pass-unknown';
  if (state.reissues >= reissuesMax) return 'reissued-too-often';
  if (lane.attemptOpen) return 'in-flight';
  return lane.cursor.redo.length >= laneDetoursMax ? 'too-many-put-back' : null;
}

/**
 * Opens the member's delivered enrolment again, because a reconciliation has proved that the pass that it issued is gone at the
 * partner, whether the lane has noticed or not. It is sent before everything else in the lane, and yields to live traffic.
 * Consent that was withdrawn since is not given again. A second request is refused: the enrolment is no longer delivered.
 */
export async function reissuePass(
  session: SqlSession,
  request: ReissueRequest,
  keys: MemberKeys,
): Promise<ReissueResult> {
  const { laneId, audit, job } = request;
  const by = { at: audit.at, by: audit.actor, reason: audit.reason };
  const result = await reopenGone(session, { ...request, ...by }, keys);
  if (result.kind === 'refused') return result;
  const { seq, withdrawn } = result;
  const detail = { job, ...(withdrawn.length === 0 ? {} : { withdrawn }) };
  await recordAction(session, { audit, action: 'reconcile.reissue', place: { laneId, seq }, detail });
  return { kind: 'done', seq };
}

const findAbsentStatement: SqlStatement = {
  name: 'find_absent_passes',
  text: `
SELECT l.lane_id AS "laneId", l.issue_seq AS seq FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq)
JOIN lane l ON l.lane_id = w.lane_id AND l.issue_seq = w.seq AND l.pass = 'absent' ORDER BY l.lane_id`,
};

/** Of these enrolments, those that are their member's last one and whose pass is known to be gone. */
async function findAbsent(session: SqlSession, places: readonly IdentityPlace[]): Promise<readonly IdentityPlace[]> {
  if (places.length === 0) return [];
  const parameters = [places.map(({ laneId }) => laneId), places.map(({ seq }) => seq)];
  return (await session.query<IdentityPlace>(findAbsentStatement, parameters)).rows;
}

/**
 * Members who enrol once more, and whose pass is known to be gone, get one: unless a lookup finds it before that is sent. The
 * lanes are locked.
 */
export async function reissueGone(
  session: SqlSession,
  { places, now }: { readonly places: readonly IdentityPlace[]; readonly now: number },
  keys: MemberKeys,
): Promise<void> {
  const by = { at: now, by: 'source-event', reason: 'enrolled-again' };
  for (const { laneId } of await findAbsent(session, places)) {
    await reopenGone(session, { laneId, evidence: null, ...by }, keys);
  }
}

/** Members of these lanes who have enrolled once more after their enrolment, while their pass was taken to be there; once. */
const findAskedStatement: SqlStatement = {
  name: 'find_enrolled_again',
  text: `
SELECT l.lane_id AS "laneId" FROM lane l JOIN member m USING (lane_id)
JOIN intent i ON i.lane_id = l.lane_id AND i.seq = l.issue_seq
WHERE l.lane_id = ANY ($1::bigint[]) AND l.pass = 'absent' AND EXISTS (
    SELECT FROM jsonb_array_elements(m.profile_marks->'${enrolledAgain}') a
    WHERE (a->>2)::float8 > extract(epoch FROM LEAST(i.occurred_at, i.recorded_at)) * 1000)
  AND NOT EXISTS (SELECT FROM intent_event e
    WHERE e.lane_id = l.lane_id AND e.seq = l.issue_seq AND e.type = 'IntentReissued')
ORDER BY l.lane_id`,
};

/** What has been found to have no pass begins to wait: who has enrolled once more waits for nobody. The lanes are locked. */
export async function reissueAsked(
  session: SqlSession,
  { laneIds, now }: { readonly laneIds: readonly number[]; readonly now: number },
  keys: MemberKeys,
): Promise<void> {
  const by = { at: now, by: 'loyaltyd', reason: 'enrolled-again' };
  const { rows } = await session.query<{ laneId: number }>(findAskedStatement, [laneIds]);
  for (const { laneId } of rows) await reopenGone(session, { laneId, evidence: null, ...by }, keys);
}

/** The same by a person's word. Null: it is no enrolment whose pass is known to be gone. The lane is locked. */
export async function reissueByWord(
  session: SqlSession,
  { place, audit }: { readonly place: IdentityPlace; readonly audit: AuditContext },
  keys: MemberKeys,
): Promise<Reopened | Refused | null> {
  if ((await findAbsent(session, [place])).length === 0) return null;
  const by = { at: audit.at, by: audit.actor, reason: audit.reason };
  return reopenGone(session, { laneId: place.laneId, evidence: null, ...by }, keys);
}

/** When something was said, by whom and why. */
interface Said {
  readonly at: number;
  readonly by: string;
  readonly reason: string;
}

/** Whose enrolment is opened again, by whose word. */
interface Reopening extends Said {
  readonly laneId: number;
  readonly job?: string;
  /** What proves that the pass is gone; null: that is to be proved before it is sent. */
  readonly evidence: string | null;
}

interface Reopened {
  readonly kind: 'done';
  readonly seq: number;
  readonly event: IntentEvent;
  readonly overtaken: number;
  /** The paths of consent that it does not give any more. */
  readonly withdrawn: readonly string[];
}

async function reopenGone(session: SqlSession, request: Reopening, keys: MemberKeys): Promise<Reopened | Refused> {
  const { laneId } = request;
  const lane = await lockLane(session, laneId);
  const state = (await session.query<ReissueState>(stateStatement, [laneId])).rows[0];
  if (lane === null || state === undefined) return refused('not-recorded');
  const said = { marks: marksOf(state.profileMarks, state.profileAt), enrolledAt: state.enrolledAt ?? -Infinity };
  const reason = obstacle(lane, state, said);
  const { seq, wrappedKey } = state;
  if (reason !== null || seq === null || wrappedKey === null) return refused(reason ?? 'no-enrolment');
  // This process may never have worked with the member.
  keys.learn(laneId, wrappedKey);
  return reopen(session, { ...request, seq, lane, said }, keys);
}

/** What has been said of the member's profile, path by path, and when the enrolment was. */
interface SaidSince {
  readonly marks: ProfileMarks;
  readonly enrolledAt: number;
}

/** What has been said of the pass since its enrolment, the newest first. */
async function updatesSince(session: SqlSession, place: IdentityPlace, keys: MemberKeys): Promise<CardUpdate[]> {
  const found = await findUpdates(within(session), [place]);
  const taken = new Set(found.filter(({ isTaken }) => isTaken).map(({ seq }) => seq));
  const loaded = (await loadCommands(within(session), found, keys)).toSorted((one, other) => other.seq - one.seq);
  return loaded.flatMap(({ seq, current }) =>
    current.kind === 'command' ? [{ command: current.command, isTaken: taken.has(seq) }] : [],
  );
}

/**
 * The paths by which an enrolment consents and what was said last does not. Where that has left the truth, nobody knows what
 * it said: consent in doubt is none.
 */
function withdrawnSince(
  command: PartnerCommand,
  newestFirst: readonly CardUpdate[],
  { marks, enrolledAt }: SaidSince,
): string[] {
  const isSaidSince = (name: string): boolean => marks.get(name)?.some(({ timeMs }) => timeMs > enrolledAt) ?? false;
  return consentedPaths(command).filter((path) => {
    const last = newestFirst.find((update) => profilePaths(update.command).includes(path));
    if (last !== undefined) return !consentedPaths(last.command).includes(path);
    return isSaidSince(path) || isSaidSince(wholeProfile);
  });
}

interface Renewed extends Said {
  readonly place: IdentityPlace;
  readonly state: IntentState;
  readonly said: SaidSince;
}

/**
 * What is sent anew is the card as it is by now, without consent that was withdrawn since.
 * @returns the paths of consent that it does not give any more
 */
async function bringUpToDate(
  session: SqlSession,
  { place, state, said, at, by, reason }: Renewed,
  keys: MemberKeys,
): Promise<readonly string[]> {
  const [loaded] = await loadCommands(within(session), [place], keys);
  if (loaded?.current.kind !== 'command') return [];
  const { command } = loaded.current;
  const updates = await updatesSince(session, place, keys);
  const withdrawn = withdrawnSince(command, updates, said);
  const changed = withConsentWithdrawn(asChanged(command, updates), withdrawn);
  if (JSON.stringify(changed) === JSON.stringify(command)) return [];
  const decision = decide(state, { type: 'CorrectIntent', at, by, reason });
  if (decision.kind === 'ignored') {
    throw new Error(`a pass issued anew cannot be brought up to date: ${decision.reason}`);
  }
  const evidence = JSON.stringify({ command: changed });
  for (const event of decision.events) {
    await appendByOthers(session, { ...place, event, evidence, settles: false }, keys);
  }
  return withdrawn;
}

async function reopen(
  session: SqlSession,
  request: Reopening & { readonly seq: number; readonly lane: LockedLane; readonly said: SaidSince },
  keys: MemberKeys,
): Promise<Reopened | Refused> {
  const { laneId, seq, lane, said, job, evidence, at, by, reason } = request;
  const place = { laneId, seq };
  const { state } = await loadIntentState(session, place);
  const overtaken = overtakenBy(lane.cursor, seq);
  const asked = { type: 'ReissueIntent', at, by, reason, overtaken, ...(job === undefined ? {} : { job }) } as const;
  const decision = decide(state, asked);
  if (decision.kind === 'ignored') return refused(decision.reason);
  for (const event of decision.events) {
    await appendByOthers(session, { ...place, event, evidence, settles: true }, keys);
  }
  const opened = decision.events.reduce(evolve, state);
  const withdrawn = await bringUpToDate(session, { place, state: opened, said, at, by, reason }, keys);
  await session.query(forgetStatement, [laneId]);
  const cursor = requeue(lane.cursor, seq, lane.isBlocked);
  if (cursor !== lane.cursor) await moveLane(session, { laneId, cursor, now: at });
  const event = { ...asked, type: 'IntentReissued' } as const;
  return { kind: 'done', seq, event, overtaken, withdrawn };
}
