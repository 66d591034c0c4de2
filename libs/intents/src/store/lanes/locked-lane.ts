import type { IdentityPlace, IntentEvent, IntentState, LaneCursor } from '#intents/core';
import {
  commandOfAmount,
  decide,
  evolve,
  initialIntentState,
  isUntouched,
  laneDetoursMax,
  overtakenBy,
  requeue,
  transitionOf,
} from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';

import type { EventRow, EventToAppend } from '../events/stored-event.js';
import { attemptOf, clearData, daemon, timestamp, toEvent } from '../events/stored-event.js';
import { isOfWhoLeft } from '../events/left-members.js';
import { within } from '../coordination/pauses.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { evidencePlace } from '../keys/member-keys.js';
import { forgottenBefore } from '../recovery/recovery.js';
import { loadCommands } from '../operator/load-commands.js';
import { findRetired } from '../retention/retire-intents.js';
import type { LockedLane } from './lane-locks.js';
import { lockLane } from './lane-locks.js';
import type { ComingBack, EndOfIntent } from './receipt-account.js';
import { findComingBack, findVoidOfRest, takesBack } from './receipt-account.js';

/**
 * SQL: whether a lane (`l`) has still to come to an intent, by the place of its cursor: at or behind the head and not
 * settled ahead of it, or put back.
 */
export function openInLane(seq: string): string {
  return `(${seq} >= l.head_seq AND ${seq} <> ALL (l.ahead) OR ${seq} = ANY (l.redo))`;
}

/** SQL: whether a row of `intent` is a reward that was granted: one that names its purchase goes with that. */
export function isGrant(intent: string): string {
  return `(${intent}.event_type = 'loyalty.reward.granted.v1')`;
}

/** SQL: whether a standing (`s`) is of what stepped aside for a hold, itself or behind a sale that did: it comes back by itself. */
export const isHeld = (standing: string): string => `(${standing}.status = 'parked' AND ${standing}.reason = 'held')`;

/** SQL: of a row of `intent` that is a reward, a sale before it in its lane that stepped aside; NULL: there is none. */
export function heldSaleBefore(intent: string, lane: string): string {
  return `CASE WHEN ${isGrant(intent)} THEN (SELECT h.seq FROM intent_standing h
    WHERE h.lane_id = ${lane} AND h.seq < ${intent}.seq AND ${isHeld('h')} AND h.operation = 'transaction' LIMIT 1) END`;
}

const findIntentStatement: SqlStatement = {
  name: 'find_standing_intent',
  text: `
SELECT recorded_at, ${forgottenBefore('intent')} AS forgotten_before FROM intent
WHERE lane_id = $1 AND seq = $2`,
};

export const findEventsStatement: SqlStatement = {
  name: 'find_standing_events',
  text: `
SELECT lane_id, seq, version, attempt, type, at, data FROM intent_history
WHERE lane_id = $1 AND seq = $2 ORDER BY version`,
};

interface IntentRow {
  readonly recorded_at: number;
  readonly forgotten_before: number | null;
}

/** The state of an intent, folded from its events. */
export interface LoadedIntentState {
  readonly state: IntentState;
  /** Nothing of it can have taken effect, in a lost history neither. */
  readonly isUntouched: boolean;
  /** Nothing of it can have taken effect by what is known here; a lost history may have sent it. */
  readonly isUntried: boolean;
  /** A lost history may have sent it, and that has not been looked up yet. */
  readonly isForgotten: boolean;
}

/** What a lost history may have sent has perhaps taken effect, although no event says so yet. */
function isForgotten(state: IntentState, { forgotten_before: endedBy }: IntentRow): boolean {
  return state.status !== 'absent' && endedBy !== null && (state.forgottenAt ?? -Infinity) < endedBy;
}

/** The lane must be locked, so that the intent cannot move meanwhile. */
export async function loadIntentState(session: SqlSession, place: IdentityPlace): Promise<LoadedIntentState> {
  const { laneId, seq } = place;
  const { rows } = await session.query<IntentRow>(findIntentStatement, [laneId, seq]);
  const [row] = rows;
  if (row === undefined) return loadEndedState(session, place);
  const recorded = evolve(initialIntentState, { type: 'IntentRecorded', at: row.recorded_at });
  const events = await session.query<EventRow>(findEventsStatement, [laneId, seq]);
  const state = events.rows.reduce((before, event) => evolve(before, toEvent(event)), recorded);
  const [isUntried, mayBeSent] = [isUntouched(state), isForgotten(state, row)];
  return { state, isUntouched: isUntried && !mayBeSent, isUntried, isForgotten: mayBeSent };
}

/** Of what has left: it was delivered, and nothing can change it any more. Absent: it was never there. */
async function loadEndedState(session: SqlSession, place: IdentityPlace): Promise<LoadedIntentState> {
  const [retired] = await findRetired(session, [place]);
  const at = retired?.endedBefore ?? 0;
  const delivered: readonly IntentEvent[] = [
    { type: 'IntentRecorded', at },
    { type: 'AttemptBegun', at, attempt: 1 },
    { type: 'AttemptApplied', at, attempt: 1 },
  ];
  const state = retired === undefined ? initialIntentState : delivered.reduce(evolve, initialIntentState);
  return { state, isUntouched: false, isUntried: false, isForgotten: false };
}

const moveLaneStatement: SqlStatement = {
  name: 'move_lane',
  text: `
UPDATE lane SET cur_seq = $2, redo = $3::int[], ahead = $4::int[],
  attempt = CASE WHEN cur_seq = $2 THEN attempt ELSE 0 END,
  state = CASE WHEN cur_seq = $2 THEN state ELSE 'live' END,
  due_at = CASE WHEN owner IS NULL AND state <> 'blocked' AND $2 <= tail_seq THEN LEAST(due_at, $5::timestamptz)
    ELSE due_at END
WHERE lane_id = $1`,
};

/**
 * Moves a lane's cursor after an operator's action. The lane is locked. It becomes due at once, unless it is blocked or
 * leased: the lease holder sees the raised revision.
 */
export async function moveLane(
  session: SqlSession,
  move: { readonly laneId: number; readonly cursor: LaneCursor; readonly now: number },
): Promise<void> {
  const { laneId, cursor, now } = move;
  await session.query(moveLaneStatement, [laneId, cursor.current, [...cursor.redo], [...cursor.ahead], timestamp(now)]);
}

/** `$1`: the lane, `$2`: the intent, `$3`: now, `$4`: it settles. */
const bumpLane = `
  UPDATE lane SET version = version + 1, revision = revision + 1,
    state = CASE WHEN $4::boolean AND cur_seq = $2 THEN 'live' ELSE state END,
    due_at = CASE WHEN $4::boolean AND cur_seq = $2 AND owner IS NULL THEN $3::timestamptz ELSE due_at END
  WHERE lane_id = $1
  RETURNING version, epoch`;

const appendByOthersStatement: SqlStatement = {
  name: 'append_by_others',
  text: `
WITH bumped AS (${bumpLane}
)
INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data)
SELECT $1, $2, version, $5, COALESCE($8::int, epoch), $6, $3::timestamptz, $7::jsonb FROM bumped`,
};

const bumpLaneStatement: SqlStatement = { name: 'bump_lane', text: bumpLane };

const appendSealedStatement: SqlStatement = {
  name: 'append_sealed_by_others',
  text: `
INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data, sealed)
VALUES ($1, $2, $3, $4, $5, $6, $7::timestamptz, $8::jsonb, $9)`,
};

/** An event by anyone but the lane's lease owner. */
interface EventByOthers extends EventToAppend {
  readonly laneId: number;
  /** The lane becomes due when its cursor is at this intent: its next claim sees the change. */
  readonly settles: boolean;
  /** Whose epoch the event belongs to; absent: the lane's present one. */
  readonly epoch?: number;
  /** The member's unwrapped key, where the caller holds it; null: evidence cannot be kept. */
  readonly key?: Uint8Array | null;
}

/**
 * Appends an event to a lane by anyone but its lease owner. The revision rises, so that the owner's next begin is
 * refused until it has read the event. An event that settles the current intent makes the lane due: its next claim
 * sees the settled intent and steps over it. What parked behind the intent comes back when that is parked no longer.
 */
export async function appendByOthers(session: SqlSession, request: EventByOthers, keys: MemberKeys): Promise<void> {
  await append(session, request, keys);
  await releaseBehind(session, request, keys);
}

async function append(session: SqlSession, request: EventByOthers, keys: MemberKeys): Promise<void> {
  const { laneId, seq, event, evidence, key, settles } = request;
  const at = timestamp(event.at);
  const bump = [laneId, seq, at, settles];
  const [attempt, { type }, data] = [attemptOf(event), event, clearData(event)];
  if (evidence === null || key === null) {
    await session.query(appendByOthersStatement, [...bump, attempt, type, data, request.epoch ?? null]);
    return;
  }
  // The evidence is bound to the event's version, which the lane gives.
  const [lane] = (await session.query<BumpedLane>(bumpLaneStatement, bump)).rows;
  if (lane === undefined) return;
  const { version, epoch } = { ...lane, ...(request.epoch !== undefined && { epoch: request.epoch }) };
  const place = { laneId, seq, type, attempt, epoch, version, ...(key !== undefined && { key }) };
  const sealed = keys.sealFor(evidencePlace(place), evidence);
  await session.query(appendSealedStatement, [laneId, seq, version, attempt, epoch, type, at, data, sealed]);
}

interface BumpedLane {
  readonly version: number;
  readonly epoch: number;
}

const findBehindStatement: SqlStatement = {
  name: 'find_behind',
  text: `
SELECT s.lane_id AS "laneId", s.seq FROM intent_standing s JOIN intent i USING (lane_id, seq) JOIN member m USING (lane_id)
WHERE s.awaits_lane_id = $1 AND s.awaits_seq = $2
  AND (${isHeld('s')} OR (NOT $3::boolean OR ${takesBack('i')} OR ${isGrant('i')}) AND NOT ${isOfWhoLeft('i', 'm')})
ORDER BY s.lane_id, s.seq`,
};

/**
 * A sale is there, or there is more of it to come back: what had stepped aside for it, or asked for more than was left, goes on as far
 * as the receipt has it; else a person must look. The lane is locked.
 */
export async function releaseAside(
  session: SqlSession,
  { now: at, ...end }: EndOfIntent & { readonly now: number },
  keys: MemberKeys,
): Promise<void> {
  for (const { place, refusal } of await findComingBack(session, end)) {
    if (refusal === null) await sendAgain(session, { place, at, reason: 'purchase-delivered' }, keys);
    else await refuseAside(session, { place, refusal, at }, keys);
  }
  await releaseRest(session, { place: end.place, at }, keys);
}

async function refuseAside(
  session: SqlSession,
  { place, refusal: { reason, detail }, at }: ComingBack & { readonly refusal: object; readonly at: number },
  keys: MemberKeys,
): Promise<void> {
  const event = { type: 'IntentParked', at, reason, lane: 'continue' } as const;
  await append(session, { ...place, event, evidence: JSON.stringify({ detail }), settles: true }, keys);
}

/**
 * Sends what parked behind an intent that is parked no longer: it waits for that, continues, or is cancelled with it. A refund of
 * what is cancelled stays for a person, and so does what is of a member who has left; what is held is only queued differently, and
 * comes back in any case. The intent's lane is locked, and a step that parks behind it takes that lock, too.
 */
async function releaseBehind(
  session: SqlSession,
  { laneId, seq, event }: Pick<EventByOthers, 'laneId' | 'seq' | 'event'>,
  keys: MemberKeys,
): Promise<void> {
  const { status = 'parked' } = transitionOf(event);
  if (status === 'parked') return;
  const isCancelled = event.type === 'IntentCancelled';
  const { rows } = await session.query<IdentityPlace>(findBehindStatement, [laneId, seq, isCancelled]);
  const { at } = event;
  for (const place of rows) await sendAgain(session, { place, at, reason: 'purchase-decided' }, keys);
  const isTakenBack = event.type === 'IntentCancelled' && event.reason === 'voided';
  const place = { laneId, seq };
  if (status === 'delivered' || isTakenBack) {
    await releaseAside(session, { place, isCancelled: isTakenBack, now: at }, keys);
  } else if (isCancelled) await releaseRest(session, { place, at }, keys);
}

/**
 * Something of a receipt is settled: the void that has waited until all of it is takes what is left by now, or is over. The lane is
 * locked.
 */
export async function releaseRest(
  session: SqlSession,
  { place: settled, at }: { readonly place: IdentityPlace; readonly at: number },
  keys: MemberKeys,
): Promise<void> {
  const found = await findVoidOfRest(session, settled);
  if (found === undefined) return;
  const { place, said, rest } = found;
  if (rest === null) {
    const over = { type: 'IntentCancelled', at, by: daemon, reason: 'nothing-to-take-back' } as const;
    await append(session, { ...place, event: over, evidence: null, settles: true }, keys);
    return;
  }
  if (rest !== said && !(await sayRest(session, { place, at, rest }, keys))) return;
  await sendAgain(session, { place, at, reason: 'receipt-settled' }, keys);
}

/** @returns false where it cannot be opened any more */
async function sayRest(
  session: SqlSession,
  { place, at, rest: amount }: { readonly place: IdentityPlace; readonly at: number; readonly rest: string },
  keys: MemberKeys,
): Promise<boolean> {
  const [loaded] = await loadCommands(within(session), [place], keys);
  if (loaded?.current.kind !== 'command' || loaded.current.command.operation !== 'transaction') return false;
  const evidence = JSON.stringify({ command: commandOfAmount(loaded.current.command, amount) });
  const event = { type: 'IntentCorrected', at, by: daemon, reason: 'what-is-left', amount } as const;
  await append(session, { ...place, event, evidence, settles: false }, keys);
  return true;
}

interface SendAgain {
  readonly place: IdentityPlace;
  /** Epoch ms. */
  readonly at: number;
  readonly reason: string;
}

/**
 * What is parked is sent by itself, now that what it waited for is there; it stays parked where so much has been put back already.
 * @returns whether it is sent
 */
export async function sendAgain(
  session: SqlSession,
  { place, at, reason }: SendAgain,
  keys: MemberKeys,
): Promise<boolean> {
  const lane = await lockLane(session, place.laneId);
  if (lane === null || lane.cursor.redo.length >= laneDetoursMax) return false;
  const { state } = await loadIntentState(session, place);
  const said = { at, by: daemon, reason, overtaken: overtakenBy(lane.cursor, place.seq) };
  const decision = decide(state, { type: 'ReplayIntent', ...said });
  if (decision.kind === 'ignored') return false;
  for (const event of decision.events) await reopenInLane(session, { place, event, lane, now: at }, keys);
  return true;
}

interface Reopening {
  readonly place: IdentityPlace;
  /** One that makes the intent pending again. */
  readonly event: IntentEvent;
  readonly lane: LockedLane;
  readonly now: number;
}

/**
 * Appends an event after which a settled intent is sent again: its lane continues with it, or comes back to it. What parked behind
 * it follows.
 */
export async function reopenInLane(session: SqlSession, request: Reopening, keys: MemberKeys): Promise<void> {
  const { place, event, lane, now } = request;
  await append(session, { ...place, event, evidence: null, settles: true }, keys);
  const cursor = requeue(lane.cursor, place.seq, lane.isBlocked || lane.attemptOpen);
  if (cursor !== lane.cursor) await moveLane(session, { laneId: place.laneId, cursor, now });
  await releaseBehind(session, { ...place, event }, keys);
}
