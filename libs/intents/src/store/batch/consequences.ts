import type {
  CancelRequest,
  IdentityPlace,
  IgnoredReason,
  IntentEvent,
  IntentState,
  PartnerCommand,
  ProfileMarks,
  RecordPosition,
  RoutedIntent,
} from '#intents/core';
import { decide, isSoldFor, laneDetoursMax, overtakenBy, withProfilePathsOf } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';

import { within } from '../coordination/pauses.js';
import { destroyKey, findOpenOptOuts, isOptOut } from '../erasure/erasure.js';
import { clearData, timestamp } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';
import type { LoadedIntentState } from '../lanes/locked-lane.js';
import { appendByOthers, loadIntentState, lockLane, openInLane, reopenInLane } from '../lanes/locked-lane.js';
import { loadCommands, loadCommandsMax } from '../operator/load-commands.js';
import { forgottenBefore } from '../recovery/recovery.js';
import type { JudgedRecord, KnownKeys } from './identities.js';
import { businessDigests } from './identities.js';
import type { Member } from './members.js';
import { memberKey } from './members.js';
import type { CorrectionToDo } from './plan-segment.js';

interface CancelContext extends KnownKeys {
  readonly members: ReadonlyMap<string, Member>;
  readonly now: number;
  /** Where the record lay that asks for it. */
  readonly cause: RecordPosition;
}

/** What became of a cancel request. */
export type CancelOutcome =
  | { readonly kind: 'cancelled' }
  /** `isRequested`: it is under way or in doubt, and never sent again. `laneId`: whose it is. */
  | {
      readonly kind: 'too-late';
      readonly laneId: number;
      readonly instead: RoutedIntent | null;
      readonly isRequested: boolean;
    }
  /** They disagree about what was paid: it is parked, a person must look. */
  | { readonly kind: 'conflict' }
  /** It has not come yet: what is to be cancelled is marked under its key. */
  | { readonly kind: 'unknown'; readonly key: Buffer }
  | { readonly kind: 'nothing-to-cancel' };

type Target = Extract<CancelRequest['target'], object>;

const nothing: CancelOutcome = { kind: 'nothing-to-cancel' };

/**
 * Cancels what a void, a revocation or an opt-out refers to, as far as nothing of it can have taken effect. The lanes
 * are locked. For several targets the outcome is `cancelled` as soon as one was.
 */
export async function cancelNotBegun(
  session: SqlSession,
  request: { readonly cancel: CancelRequest; readonly context: CancelContext },
  keys: MemberKeys,
): Promise<CancelOutcome> {
  const { cancel, context } = request;
  const { now } = context;
  if (cancel.target !== 'everything-queued') return cancelTarget(session, { ...request, target: cancel.target }, keys);
  const laneId = context.members.get(memberKey(cancel))?.laneId;
  if (laneId === undefined) return nothing;
  const cause = { by: 'source-event', reason: cancel.reason };
  const queue = { laneId, now, ...cause, rest: 'leave', sparesOptOuts: false } as const;
  const { cancelled, left } = await cancelQueued(session, queue, keys);
  if (cancelled > 0) return { kind: 'cancelled' };
  return left > 0 ? { kind: 'too-late', laneId, instead: cancel.ifTooLate, isRequested: false } : nothing;
}

async function cancelTarget(
  session: SqlSession,
  request: { readonly cancel: CancelRequest; readonly target: Target; readonly context: CancelContext },
  keys: MemberKeys,
): Promise<CancelOutcome> {
  const { cancel, target, context } = request;
  const key = businessDigests(cancel, target, context.members)?.key;
  if (key === undefined) return nothing;
  const name = key.toString('hex');
  const identity = context.known.get(name);
  // Known, and without an intent of its own: there is nothing that could be sent.
  const { now, cause } = context;
  if (identity?.place) return cancelOne(session, { cancel, place: identity.place, now, cause }, keys);
  return identity !== undefined || context.marks.has(name) ? nothing : { kind: 'unknown', key };
}

interface CancelOne extends Pick<CancelContext, 'now' | 'cause'> {
  readonly cancel: CancelRequest;
  readonly place: IdentityPlace;
}

async function cancelOne(session: SqlSession, request: CancelOne, keys: MemberKeys): Promise<CancelOutcome> {
  const { cancel, place, now, cause } = request;
  const { state, isUntouched } = await loadIntentState(session, place);
  if (state.status === 'absent' || state.status === 'cancelled') return nothing;
  const disagrees = !(await agreesAboutTotal(session, { cancel, place }, keys));
  if (disagrees && isUntouched) return parkForTotal(session, { ...request, state }, keys);
  const said = { at: now, by: 'source-event', reason: cancel.reason, cause } as const;
  const decision = decide(state, { type: isUntouched ? 'CancelIntent' : 'RequestCancel', ...said });
  const events = decision.kind === 'events' ? decision.events : [];
  for (const event of events) {
    await appendByOthers(session, { ...place, event, evidence: null, settles: isUntouched }, keys);
  }
  if (isUntouched) return { kind: 'cancelled' };
  const { laneId } = place;
  const instead = insteadOf(cancel, { isOpen: state.status !== 'delivered' && state.status !== 'parked', disagrees });
  return { kind: 'too-late', laneId, instead, isRequested: events.length > 0 };
}

const anotherTotal = 'by an event that names another total';

/** As far as both say what was paid. */
async function agreesAboutTotal(
  session: SqlSession,
  { cancel, place }: { readonly cancel: CancelRequest; readonly place: IdentityPlace },
  keys: MemberKeys,
): Promise<boolean> {
  const { total } = cancel;
  if (total === undefined) return true;
  const [loaded] = await loadCommands(within(session), [place], keys);
  if (loaded?.current.kind !== 'command') return true;
  return isSoldFor(total, loaded.current.command, loaded.currency);
}

/** Which of them is right a person says; until then nothing is sent. */
async function parkForTotal(
  session: SqlSession,
  { cancel, place, now, cause, state }: CancelOne & { readonly state: IntentState },
  keys: MemberKeys,
): Promise<CancelOutcome> {
  if (state.status === 'parked' && state.reason === 'conflict') return nothing;
  const event = { type: 'IntentParked', at: now, reason: 'conflict', lane: 'continue', cause } as const;
  const evidence = JSON.stringify({ detail: `${cancel.reason} before it was sent, ${anotherTotal}` });
  await appendByOthers(session, { ...place, event, evidence, settles: true }, keys);
  return { kind: 'conflict' };
}

/**
 * What takes back is not sent where the totals disagree. What a person must look at, since no call can carry it, waits for
 * what becomes of its target: perhaps there is nothing to take back.
 */
function insteadOf(
  { ifTooLate, reason }: CancelRequest,
  { isOpen, disagrees }: { readonly isOpen: boolean; readonly disagrees: boolean },
): RoutedIntent | null {
  if (ifTooLate === null) return null;
  if (disagrees) return { ...ifTooLate, parked: { reason: 'conflict', detail: `${reason} too late, ${anotherTotal}` } };
  return isOpen ? { ...ifTooLate, parked: null } : ifTooLate;
}

/** Why a record whose only purpose was to cancel did nothing; null when it did something. */
export function ignoredCancel(outcomes: readonly CancelOutcome[]): IgnoredReason | null {
  if (outcomes.some(({ kind }) => kind !== 'too-late' && kind !== 'nothing-to-cancel')) return null;
  const tooLate = outcomes.filter((outcome) => outcome.kind === 'too-late');
  if (tooLate.some(({ instead, isRequested }) => instead !== null || isRequested)) return null;
  return tooLate.length > 0 ? 'void-after-delivery' : 'nothing-to-cancel';
}

/** Opt-outs that are spared are cancelled all the same where they are parked. */
interface CancelQueued extends CancelUnbegun {
  /** What becomes of a parked intent that may have taken effect. */
  readonly rest: 'leave' | 'park-as-erased';
}

/** What a member's leaving left behind. */
interface CancelledQueue {
  readonly cancelled: number;
  /** Those that may have taken effect. */
  readonly left: number;
  /** Of these: not parked, something is still to come of them. */
  readonly underWay: number;
}

type End = 'cancelled' | 'parked' | 'under-way' | 'over' | 'spared';

/** Of what may have taken effect. */
function endOfTouched(state: IntentState, { rest }: CancelQueued): End {
  if (state.status === 'parked') return rest === 'park-as-erased' && state.reason !== 'erased' ? 'parked' : 'over';
  return state.status === 'delivered' ? 'over' : 'under-way';
}

function endOf(
  { state, isUntouched }: LoadedIntentState,
  request: CancelQueued,
  { isOptOut, isForgotten }: QueuedPlace,
): End {
  // No call of it is under way: an erasure need not wait for it, delivery parks what it cannot open.
  if (isForgotten) return 'over';
  if (!isUntouched) return endOfTouched(state, request);
  return request.sparesOptOuts && isOptOut && state.status !== 'parked' ? 'spared' : 'cancelled';
}

function eventsOf(end: End, state: IntentState, { now, by, reason }: CancelQueued): readonly IntentEvent[] {
  if (end === 'parked') return [{ type: 'IntentParked', at: now, reason: 'erased', lane: 'continue' }];
  if (end !== 'cancelled') return [];
  const decision = decide(state, { type: 'CancelIntent', at: now, by, reason });
  return decision.kind === 'events' ? decision.events : [];
}

/**
 * Cancels what is queued in a lane as far as nothing of it can have taken effect, however much that is: what nothing
 * has happened to in one statement, the rest one by one. The lane is locked.
 */
export async function cancelQueued(
  session: SqlSession,
  request: CancelQueued,
  keys: MemberKeys,
): Promise<CancelledQueue> {
  const { laneId } = request;
  const counts: Record<End, number> = { cancelled: 0, parked: 0, 'under-way': 0, over: 0, spared: 0 };
  counts.cancelled = await cancelUnbegun(session, request);
  const finish = async (queued: QueuedPlace): Promise<void> => {
    const place = { laneId: queued.laneId, seq: queued.seq };
    const loaded = await loadIntentState(session, place);
    const end = endOf(loaded, request, queued);
    for (const event of eventsOf(end, loaded.state, request)) {
      await appendByOthers(session, { ...place, event, evidence: null, settles: true }, keys);
    }
    counts[end] += 1;
  };
  for (let page = await findQueued(session, { laneId, seq: 0 }); page.length > 0;) {
    for (const place of page) await finish(place);
    const last = page.at(-1);
    page = page.length < queuedPageMax || last === undefined ? [] : await findQueued(session, last);
  }
  const underWay = counts['under-way'];
  return { cancelled: counts.cancelled, left: counts.parked + underWay + counts.over, underWay };
}

/**
 * Cancels at once everything queued to which nothing has happened yet: there may be tens of thousands of them. What
 * `appendByOthers` does for one event is done here for all: versions stay dense, the revision rises, a current intent
 * makes its lane due.
 */
const cancelUnbegunStatement: SqlStatement = {
  name: 'cancel_unbegun',
  text: `
WITH queued AS MATERIALIZED (
  SELECT i.seq, row_number() OVER (ORDER BY i.seq)::int AS rank
  FROM lane l JOIN intent i ON i.lane_id = l.lane_id
    AND ${openInLane('i.seq')}
  WHERE l.lane_id = $1
    AND NOT EXISTS (SELECT FROM intent_history e WHERE e.lane_id = i.lane_id AND e.seq = i.seq)
    AND NOT ($4::boolean AND ${isOptOut('i')})
    AND ${forgottenBefore('i')} IS NULL
), bumped AS (
  UPDATE lane SET version = version + added.count, revision = revision + 1,
    state = CASE WHEN added.has_current THEN 'live' ELSE state END,
    due_at = CASE WHEN added.has_current AND owner IS NULL THEN $2::timestamptz ELSE due_at END
  FROM (SELECT count(*)::int AS count, COALESCE(bool_or(q.seq = l.cur_seq), false) AS has_current
    FROM queued q JOIN lane l ON l.lane_id = $1) added
  WHERE lane_id = $1 AND added.count > 0
  RETURNING version - added.count AS version, epoch
)
INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data)
SELECT $1, q.seq, b.version + q.rank, 0, b.epoch, 'IntentCancelled', $2::timestamptz, $3::jsonb
FROM queued q CROSS JOIN bumped b ORDER BY q.seq`,
};

interface CancelUnbegun {
  readonly laneId: number;
  readonly now: number;
  /** Who cancels, and why: kept in the events. */
  readonly by: string;
  readonly reason: string;
  /** What reports to the partner that the member has left stays queued. */
  readonly sparesOptOuts: boolean;
}

/** The lane is locked. @returns how many were cancelled */
async function cancelUnbegun(session: SqlSession, request: CancelUnbegun): Promise<number> {
  const { laneId, now, by, reason, sparesOptOuts } = request;
  const data = clearData({ type: 'IntentCancelled', at: now, by, reason });
  return (await session.query(cancelUnbegunStatement, [laneId, timestamp(now), data, sparesOptOuts])).rowCount;
}

/** Intents in one page. */
const queuedPageMax = 500;

const hasEvents = 'EXISTS (SELECT FROM intent_history e WHERE e.lane_id = i.lane_id AND e.seq = i.seq)';

const findQueuedStatement: SqlStatement = {
  name: 'find_queued',
  text: `
SELECT i.seq, ${isOptOut('i')} AS "isOptOut", NOT ${hasEvents} AS "isForgotten"
FROM lane l JOIN intent i ON i.lane_id = l.lane_id
  AND ${openInLane('i.seq')}
WHERE l.lane_id = $1 AND i.seq > $2
  AND (${hasEvents} OR ${forgottenBefore('i')} IS NOT NULL)
  AND NOT EXISTS (SELECT FROM intent_event e WHERE e.lane_id = i.lane_id AND e.seq = i.seq AND e.type = 'IntentCancelled')
ORDER BY i.seq LIMIT ${queuedPageMax}`,
};

interface QueuedPlace extends IdentityPlace {
  /** It reports to the partner that the member has left. */
  readonly isOptOut: boolean;
  /** Nothing is known of it but that a lost history may have sent it. */
  readonly isForgotten: boolean;
}

/** What is queued in a lane and has lived through something, perhaps in a lost history, page by page after the given seq (0 to begin). */
async function findQueued(
  session: SqlSession,
  after: { readonly laneId: number; readonly seq: number },
): Promise<QueuedPlace[]> {
  const { laneId } = after;
  const { rows } = await session.query<Omit<QueuedPlace, 'laneId'>>(findQueuedStatement, [laneId, after.seq]);
  return rows.map((row) => ({ laneId, ...row }));
}

interface ErasedMember {
  readonly erasedSeq: number;
  /** Opt-outs that have not been reported to the partner yet: whoever erases must send them. */
  readonly openOptOuts: readonly PartnerCommand[];
}

/**
 * The erasure of contracts.md section 7: cancels what is queued, parks as `erased` what cannot be cancelled because it
 * may have taken effect, and destroys the member's key. What is on its way to the partner right now is settled by its
 * answer; should it need another try, delivery finds that it can no longer be opened and parks it, too. The lane is
 * locked.
 */
export async function eraseMember(
  session: SqlSession,
  request: { readonly member: Member; readonly marks: ProfileMarks; readonly now: number },
  keys: MemberKeys,
): Promise<ErasedMember> {
  const { member, marks, now } = request;
  const { laneId } = member;
  const optOuts = await findOpenOptOuts(session, laneId);
  const loaded = await loadCommands(within(session), optOuts.slice(-loadCommandsMax), keys);
  const openOptOuts = loaded.flatMap(({ current }) => (current.kind === 'command' ? [current.command] : []));
  const cause = { by: 'source-event', reason: 'opted-out' };
  await cancelQueued(session, { laneId, now, ...cause, rest: 'park-as-erased', sparesOptOuts: false }, keys);
  return { erasedSeq: await destroyKey(session, { laneId, marks, now }), openOptOuts };
}

/**
 * Marks which changed enrolments are corrections (contracts.md section 1): while nothing of the first enrolment can have
 * taken effect it is corrected, afterwards the other content is an update. One that only a lost history may have sent is
 * looked up before it is sent, and what it says by then is told to the pass that is found. The lanes are locked.
 */
export async function markCorrectable(session: SqlSession, records: readonly JudgedRecord[]): Promise<JudgedRecord[]> {
  const judged: JudgedRecord[] = [];
  for (const item of records) {
    if (item.identity === null || item.verdict.kind !== 'enrolment-changed') {
      judged.push(item);
      continue;
    }
    const { of } = item.verdict;
    judged.push({ ...item, isCorrectable: of !== null && (await loadIntentState(session, of)).isUntried });
  }
  return judged;
}

/**
 * A parked enrolment that says something else now is sent: nobody would come to replay what a shop has mended. It stays
 * parked where so much of the lane has been put back that no more is remembered. The lane is locked.
 */
async function reopenMended(
  session: SqlSession,
  { of, now }: { readonly of: IdentityPlace; readonly now: number },
  keys: MemberKeys,
): Promise<void> {
  const { state } = await loadIntentState(session, of);
  const lane = state.status === 'parked' ? await lockLane(session, of.laneId) : null;
  if (lane === null || lane.cursor.redo.length >= laneDetoursMax) return;
  const overtaken = overtakenBy(lane.cursor, of.seq);
  const said = { at: now, by: 'source-event', reason: 'enrolled-again' } as const;
  const decision = decide(state, { type: 'ReplayIntent', ...said, overtaken });
  for (const event of decision.kind === 'events' ? decision.events : []) {
    await reopenInLane(session, { place: of, event, lane, now }, keys);
  }
}

/**
 * What something newer said of a path may have been taken out of the queue for what the first enrolment says of it, so that
 * this is all that is left of it.
 */
async function correctedCommand(
  session: SqlSession,
  { of, intent, overtaken }: CorrectionToDo,
  keys: MemberKeys,
): Promise<PartnerCommand | null> {
  if (intent.command === null || overtaken.size === 0) return intent.command;
  const [loaded] = await loadCommands(within(session), [of], keys);
  if (loaded?.current.kind !== 'command') return intent.command;
  return withProfilePathsOf(intent.command, loaded.current.command, overtaken);
}

/** Lets enrolments of which nothing can have taken effect say what they say now, and sends those that were parked. The lanes are locked. */
export async function correctEnrolments(
  session: SqlSession,
  request: {
    readonly corrections: readonly CorrectionToDo[];
    readonly members: ReadonlyMap<string, Member>;
    readonly now: number;
  },
  keys: MemberKeys,
): Promise<void> {
  for (const correction of request.corrections) {
    const { of, intent } = correction;
    const event = { type: 'IntentCorrected', at: request.now, by: 'source-event', reason: 'enrolled-again' } as const;
    const evidence = JSON.stringify({ command: await correctedCommand(session, correction, keys) });
    const key = request.members.get(memberKey(intent))?.key ?? null;
    await appendByOthers(session, { ...of, key, event, evidence, settles: false }, keys);
    await reopenMended(session, { of, now: request.now }, keys);
  }
}
