import type { CorrectedSale, IdentityPlace, IntentEvent, IntentState, LaneCursor, Receipt } from '#intents/core';
import {
  changeOf,
  decide,
  decideCorrecting,
  decideTakingBack,
  evolve,
  evolveReceipt,
  initialIntentState,
  isUntouched,
  laneDetoursMax,
  overtakenBy,
  requeue,
  transitionOf,
} from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';

import type { EventRow, EventToAppend } from '../events/stored-event.js';
import { attemptOf, clearData, timestamp, toEvent } from '../events/stored-event.js';
import { isOfWhoLeft } from '../events/left-members.js';
import { deliveredBy } from '../events/transition-sql.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { forgottenBefore } from '../recovery/recovery.js';
import { findRetired } from '../retention/retire-intents.js';

/** By whom an event is that nobody has asked for. */
export const daemon = 'loyaltyd';

const lockLaneStatement: SqlStatement = {
  name: 'lock_lane',
  text: `
SELECT head_seq, tail_seq, cur_seq, redo, ahead, state, attempt_open FROM lane WHERE lane_id = $1 FOR NO KEY UPDATE`,
};

interface LaneRow {
  readonly head_seq: number;
  readonly tail_seq: number;
  readonly cur_seq: number;
  readonly redo: number[];
  readonly ahead: number[];
  readonly state: 'live' | 'waiting' | 'blocked';
  readonly attempt_open: boolean;
}

/** Where a lane stands while we hold its row. */
export interface LockedLane {
  readonly cursor: LaneCursor;
  readonly isBlocked: boolean;
  readonly attemptOpen: boolean;
}

/** Locks one lane until the transaction ends; null when there is none. */
export async function lockLane(session: SqlSession, laneId: number): Promise<LockedLane | null> {
  const row = (await session.query<LaneRow>(lockLaneStatement, [laneId])).rows[0];
  if (row === undefined) return null;
  const { head_seq: head, tail_seq: tail, cur_seq: current, redo, ahead } = row;
  return {
    cursor: { head, tail, current, redo, ahead },
    isBlocked: row.state === 'blocked',
    attemptOpen: row.attempt_open,
  };
}

const lockLanesStatement: SqlStatement = {
  name: 'lock_lanes',
  text: 'SELECT lane_id FROM lane WHERE lane_id = ANY ($1::bigint[]) ORDER BY lane_id FOR NO KEY UPDATE',
};

/** Locks lanes in lane order, before something is decided on what they show. */
export async function lockLanes(session: SqlSession, laneIds: readonly number[]): Promise<void> {
  await session.query(lockLanesStatement, [laneIds]);
}

/**
 * SQL: whether a lane (`l`) has still to come to an intent, by the place of its cursor: at or behind the head and not
 * settled ahead of it, or put back.
 */
export function openInLane(seq: string): string {
  return `(${seq} >= l.head_seq AND ${seq} <> ALL (l.ahead) OR ${seq} = ANY (l.redo))`;
}

/** SQL: whether a row of `intent` is what a void or revocation that came too late sends. */
export function takesBack(intent: string): string {
  return `${intent}.event_type IN ('loyalty.purchase.voided.v1', 'loyalty.reward.revoked.v1')`;
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

const appendByOthersStatement: SqlStatement = {
  name: 'append_by_others',
  text: `
WITH bumped AS (
  UPDATE lane SET version = version + 1, revision = revision + 1,
    state = CASE WHEN $8::boolean AND cur_seq = $2 THEN 'live' ELSE state END,
    due_at = CASE WHEN $8::boolean AND cur_seq = $2 AND owner IS NULL THEN $5::timestamptz ELSE due_at END
  WHERE lane_id = $1
  RETURNING version, epoch
)
INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data, sealed)
SELECT $1, $2, version, $3, COALESCE($9::int, epoch), $4, $5::timestamptz, $6::jsonb, $7 FROM bumped`,
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

function sealed({ laneId, seq, key, evidence }: EventByOthers, keys: MemberKeys): Buffer | null {
  if (evidence === null || key === null) return null;
  return keys.sealFor(key === undefined ? { laneId, seq } : { laneId, seq, key }, evidence);
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
  const { laneId, seq, event, settles } = request;
  await session.query(appendByOthersStatement, [
    laneId,
    seq,
    attemptOf(event),
    event.type,
    timestamp(event.at),
    clearData(event),
    sealed(request, keys),
    settles,
    request.epoch ?? null,
  ]);
}

const findBehindStatement: SqlStatement = {
  name: 'find_behind',
  text: `
SELECT s.lane_id AS "laneId", s.seq FROM intent_standing s JOIN intent i USING (lane_id, seq) JOIN member m USING (lane_id)
WHERE s.awaits_lane_id = $1 AND s.awaits_seq = $2
  AND (${isHeld('s')} OR (NOT $3::boolean OR ${takesBack('i')} OR ${isGrant('i')}) AND NOT ${isOfWhoLeft('i', 'm')})
ORDER BY s.lane_id, s.seq`,
};

/** Whether something stepped aside for a sale (a row of `intent`) before that came. */
export function isAwaited(intent: string): string {
  return `(${intent}.receipt IS NOT NULL AND ${intent}.event_type = 'loyalty.purchase.completed.v1')`;
}

/**
 * SQL: whether what changes a receipt (an intent `b`) counts, by how it stands: from its recording, in doubt, too, until it is
 * cancelled, refused by the partner or by its receipt. What waits for its sale counts, too: it comes with that. A correction does
 * not where it disagrees with what is known.
 */
function counts(standing: string): string {
  return `COALESCE(${standing}.status <> 'cancelled' AND NOT (${standing}.status = 'parked'
    AND (${standing}.reason IN ('rejected', 'over-refund') OR b.corrected_total IS NOT NULL AND ${standing}.reason = 'conflict')), true)`;
}

const standsAside = `COALESCE(bs.status = 'parked' AND bs.reason = 'missing-purchase', false)`;

/** What waits for the sale is counted as it comes back, one after the other. */
const countsApart = `NOT ${standsAside}`;

/**
 * SQL: whether an intent `b`, with its standing `bs`, is delivered: by its answer, which leaves no standing, or by evidence, or by a
 * person's word, which do.
 */
export const isDelivered = `COALESCE(bs.status = 'delivered', EXISTS (
    SELECT FROM intent_event e WHERE e.lane_id = b.lane_id AND e.seq = b.seq AND ${deliveredBy('e')}))`;

/** SQL: the amount of a row of `intent` as it stands: as it was told, unless somebody has corrected it since. */
export const amountNow = (intent: string): string => `amount_now(${intent}.lane_id, ${intent}.seq, ${intent}.amount)`;

/**
 * SQL: by how much a row of `intent` changes its sale's total, as it stands: up or down as it was told, by as much as somebody has
 * corrected it to since. NULL: it corrects none.
 */
export function changeNow(intent: string): string {
  return `(sign(${intent}.corrected_total - ${intent}.previous_total) * ${amountNow(intent)})`;
}

/** SQL: whether an intent `b` that waits for `t` voids a refund: it waits for the refund that it means, not for the sale. */
const givesBack = `(b.event_type = 'loyalty.purchase.voided.v1' AND b.waits_for_key IS DISTINCT FROM b.receipt
    AND t.event_type IS DISTINCT FROM 'loyalty.purchase.completed.v1')`;

/** SQL: whether an intent corrects its sale's total upwards. */
const raises = (intent: string): string => `(${intent}.corrected_total > ${intent}.previous_total) IS TRUE`;

/** SQL: whether an intent `b` of a receipt, which waits for `t`, gives to the member. */
export const gives = `(${givesBack} OR ${raises('b')})`;

/** What a void that stands aside means has not come: it takes nothing. */
const isVoidAside = `(${takesBack('b')} AND ${standsAside})`;

/** SQL: whether something waits for a sale `t` that had the number before `sale`, and was voided in time: it takes nothing of this one. */
function isOfSaleBefore(t: string, sale: string): string {
  return `COALESCE(${t}.event_type = 'loyalty.purchase.completed.v1' AND (${t}.lane_id, ${t}.seq) <> (${sale}.lane_id, ${sale}.seq), false)`;
}

/**
 * SQL: how much of a receipt has come back, or was taken off by a correction, but for the sale itself, less what delivered voids of
 * refunds, and corrections, have given.
 * @param receipt the sale's key @param sale a row with its place @param also a condition on an intent `b` and its standing `bs`
 */
export function sumOfBack(receipt: string, sale: string, also = 'true'): string {
  return `SELECT COALESCE(sum(CASE WHEN ${gives} THEN -${amountNow('b')} ELSE ${amountNow('b')} END), 0) FROM intent b
  LEFT JOIN intent_standing bs ON bs.lane_id = b.lane_id AND bs.seq = b.seq
  LEFT JOIN intent t ON t.lane_id = b.lane_id AND t.seq = b.waits_for_seq
  WHERE b.receipt = ${receipt} AND (b.lane_id, b.seq) <> (${sale}.lane_id, ${sale}.seq) AND ${counts('bs')}
    AND NOT ${isVoidAside} AND (${isDelivered} OR NOT ${gives}) AND NOT ${isOfSaleBefore('t', sale)} AND ${also}`;
}

/**
 * SQL: by how much the corrections of a receipt have changed its total, but for what its sale says itself; those that stand aside
 * for that have not yet.
 * @param receipt the sale's key @param sale a row with its place
 */
function sumOfChanges(receipt: string, sale: string): string {
  return `SELECT COALESCE(sum(${changeNow('b')}), 0) FROM intent b
  LEFT JOIN intent_standing bs ON bs.lane_id = b.lane_id AND bs.seq = b.seq
  LEFT JOIN intent t ON t.lane_id = b.lane_id AND t.seq = b.waits_for_seq
  WHERE b.receipt = ${receipt} AND b.corrected_total IS NOT NULL AND ${counts('bs')} AND ${countsApart}
    AND NOT ${isOfSaleBefore('t', sale)}`;
}

const findChangesStatement: SqlStatement = {
  name: 'find_changes_of_sale',
  text: `
SELECT (${sumOfChanges('d.key', 'd')})::text AS changed, EXISTS (SELECT FROM intent b
  LEFT JOIN intent_standing bs ON bs.lane_id = b.lane_id AND bs.seq = b.seq
  LEFT JOIN intent t ON t.lane_id = b.lane_id AND t.seq = b.waits_for_seq
  WHERE b.receipt = d.key AND b.event_type = 'loyalty.purchase.voided.v1' AND ${counts('bs')} AND ${countsApart} AND NOT ${givesBack}
    AND NOT ${isOfSaleBefore('t', 'd')}) AS "isVoided",
  (SELECT p.data->>'cameBack' FROM intent_event p WHERE p.lane_id = d.lane_id AND p.seq = d.seq AND p.type = 'IntentParked'
    AND p.data ? 'cameBack') AS "cameBack"
FROM (VALUES ($1::bytea, $2::bigint, $3::int)) AS d (key, lane_id, seq)`,
};

/** What became of a sale beside what it says itself. */
interface SaleChanges {
  /** By how much its total was corrected beside that, with its sign. */
  readonly changed: string;
  /** It was taken back whole, too late to cancel it. */
  readonly isVoided: boolean;
  /** How much of it had come back before it was claimed; null: nothing. */
  readonly cameBack: string | null;
}

/** @param sale with its key in `dedup`; its lane is locked */
export async function findSaleChanges(
  session: SqlSession,
  { key, laneId, seq }: IdentityPlace & { readonly key: Uint8Array },
): Promise<SaleChanges> {
  const [found] = (await session.query<SaleChanges>(findChangesStatement, [key, laneId, seq])).rows;
  return found ?? { changed: '0', isVoided: false, cameBack: null };
}

/**
 * The account that something would take from once more, without itself; none where it takes nothing back. Refunds, and voids of
 * sales: these wait for the sale, voids of refunds for those.
 */
const accountStatement: SqlStatement = {
  name: 'find_account',
  text: `
SELECT d.lane_id AS "laneId", d.seq, COALESCE($3::numeric, ${amountNow('i')})::text AS amount, ${amountNow('s')}::text AS sold,
  i.event_type = 'loyalty.purchase.voided.v1' AND si.status = 'parked' AND si.reason = 'conflict' AND NOT EXISTS (
    SELECT FROM intent_event e WHERE e.lane_id = i.lane_id AND e.seq = i.seq AND e.type = 'IntentCorrected'
      AND e.data->>'amount' IS NOT NULL AND e.data->>'by' <> '${daemon}') AS "takesRest",
  CASE WHEN ss.status = 'cancelled' OR ${isOfSaleBefore('w', 'd')} THEN ${amountNow('s')}
  ELSE (${sumOfBack('i.receipt', 'd', '(b.lane_id, b.seq) <> (i.lane_id, i.seq)')}) END::text AS back
FROM intent i JOIN dedup d ON d.key = i.receipt AND d.kind = 'business' AND (d.lane_id, d.seq) <> (i.lane_id, i.seq)
LEFT JOIN intent w ON w.lane_id = i.lane_id AND w.seq = i.waits_for_seq
LEFT JOIN intent_standing si ON si.lane_id = i.lane_id AND si.seq = i.seq
JOIN intent s ON s.lane_id = d.lane_id AND s.seq = d.seq LEFT JOIN intent_standing ss ON ss.lane_id = d.lane_id AND ss.seq = d.seq
WHERE i.lane_id = $1 AND i.seq = $2 AND NOT ${raises('i')} AND (i.event_type = 'loyalty.purchase.refunded.v1'
  OR i.waits_for_key = i.receipt OR w.event_type = 'loyalty.purchase.completed.v1')`,
};

interface Account extends IdentityPlace, Receipt {
  readonly amount: string | null;
  /** A void that a person was to look at, and of which nobody has said how much: it takes whatever is left. */
  readonly takesRest: boolean;
}

interface TakingBack {
  readonly place: IdentityPlace;
  /** What it would be of, without a sign; absent: what it is of. */
  readonly amount?: string;
}

/** Its lane is locked, and then the sale's. */
async function findAccount(session: SqlSession, { place, amount }: TakingBack): Promise<Account | undefined> {
  const { laneId, seq } = place;
  const find = async (): Promise<Account | undefined> =>
    (await session.query<Account>(accountStatement, [laneId, seq, amount ?? null])).rows[0];
  const seen = await find();
  if (seen === undefined || seen.laneId === laneId) return seen;
  await lockLanes(session, [seen.laneId]);
  return find();
}

/**
 * Whether more would come back of a receipt than is left of it, if what stands here were sent: a person may have let something else
 * take it meanwhile. Its lane is locked.
 */
export async function isOverAccount(session: SqlSession, taking: TakingBack): Promise<boolean> {
  const account = await findAccount(session, taking);
  if (account === undefined) return false;
  const amount = account.takesRest && taking.amount === undefined ? null : account.amount;
  return ['over-refund', 'nothing'].includes(decideTakingBack(account, { amount }).kind);
}

/**
 * Of what amount a void is once a person sends it: of what is left by then, whatever has become of what came back, unless somebody
 * has said how much. Null: of that which it says. Its lane is locked.
 */
export async function restToTake(session: SqlSession, place: IdentityPlace): Promise<string | null> {
  const account = await findAccount(session, { place });
  if (account?.takesRest !== true) return null;
  const decision = decideTakingBack(account, { amount: null });
  return decision.kind === 'take' && decision.amount !== account.amount ? decision.amount : null;
}

/** SQL: whether something of a receipt, but for the sale at this place, is neither delivered nor out of account. */
export function isUnsettled(receipt: string, laneId: string, seq: string, also = 'true'): string {
  return `EXISTS (SELECT FROM intent b LEFT JOIN intent_standing bs ON bs.lane_id = b.lane_id AND bs.seq = b.seq
  WHERE b.receipt = ${receipt}::bytea AND (b.lane_id, b.seq) <> (${laneId}::bigint, ${seq}::int) AND ${counts('bs')}
    AND NOT ${isVoidAside} AND NOT ${isDelivered} AND ${also})`;
}

/** What waits for a sale that has not come looks at the account when that does; what is behind one that is parked does not. */
const comesUnasked = `(${countsApart} OR bs.awaits_seq IS NOT NULL)`;

const overdrawnStatement: SqlStatement = {
  name: 'is_overdrawn',
  text: `
SELECT EXISTS (SELECT FROM dedup d JOIN intent s ON s.lane_id = d.lane_id AND s.seq = d.seq
  WHERE d.lane_id = $1 AND d.seq = $2 AND d.kind = 'business' AND d.body_mac <> ''::bytea
    AND s.event_type = 'loyalty.purchase.completed.v1'
    AND (${sumOfBack('d.key', 'd', comesUnasked)}) > $3::numeric AND ${isUnsettled('d.key', 'd.lane_id', 'd.seq', comesUnasked)}) AS is`,
};

/** Whether more than such an amount of a sale, if this is one, is still to come back. Its lane is locked. */
export async function isOverdrawn(
  session: SqlSession,
  { place: { laneId, seq }, amount }: Required<TakingBack>,
): Promise<boolean> {
  return (
    (await session.query<{ readonly is: boolean }>(overdrawnStatement, [laneId, seq, amount])).rows[0]?.is === true
  );
}

/**
 * What stepped aside for a sale before that came, in the sale's own lane: what names another member is for a person. `back`: what
 * others have taken back.
 */
const findAsideStatement: SqlStatement = {
  name: 'find_aside',
  text: `
SELECT r.lane_id AS "laneId", r.seq, ${amountNow('r')}::text AS amount, r.previous_total::text AS previous,
  (r.previous_total + ${changeNow('r')})::text AS total, ${amountNow('s')}::text AS sold, (${sumOfBack('s.receipt', 's', countsApart)})::text AS back,
  (${amountNow('s')} + (${sumOfChanges('s.receipt', 's')}))::text AS known
FROM intent s JOIN intent r ON r.receipt = s.receipt AND r.lane_id = s.lane_id AND r.seq <> s.seq
JOIN intent_standing rs ON rs.lane_id = r.lane_id AND rs.seq = r.seq
JOIN member m ON m.lane_id = r.lane_id
WHERE s.lane_id = $1 AND s.seq = $2 AND ${isAwaited('s')} AND rs.status = 'parked' AND rs.reason = 'missing-purchase'
  AND NOT ${takesBack('r')} AND NOT ${isOfWhoLeft('r', 'm')}
ORDER BY r.seq LIMIT ${laneDetoursMax}`,
};

/** A sale is delivered: what had stepped aside for it goes on, as far as the receipt has it. The lane is locked. */
export async function releaseAside(
  session: SqlSession,
  { place, now }: { readonly place: IdentityPlace; readonly now: number },
  keys: MemberKeys,
): Promise<void> {
  const { rows } = await session.query<AsideRow>(findAsideStatement, [place.laneId, place.seq]);
  const [first] = rows;
  if (first === undefined) return;
  let sale: CorrectedSale = { receipt: first, total: first.known, is: 'sent' };
  for (const { laneId, seq, ...aside } of rows) {
    const after = afterAside(sale, aside);
    if (after === null) continue;
    sale = after;
    await sendAgain(session, { place: { laneId, seq }, at: now, reason: 'purchase-delivered' }, keys);
  }
}

interface AsideRow extends IdentityPlace, Omit<Receipt, 'sold'> {
  readonly amount: string;
  /** Of a correction; null: it is none. */
  readonly previous: string | null;
  readonly total: string | null;
  readonly sold: string;
  readonly known: string;
}

/** The sale once this has come back to it; null: it does not, and a person must look. */
function afterAside(
  sale: CorrectedSale,
  { amount, previous, total }: Pick<AsideRow, 'amount' | 'previous' | 'total'>,
): CorrectedSale | null {
  const { receipt } = sale;
  if (previous === null || total === null) {
    return decideTakingBack(receipt, { amount }).kind === 'take'
      ? { ...sale, receipt: evolveReceipt(receipt, { amount }) }
      : null;
  }
  const change = { previous, total };
  if (decideCorrecting(sale, change).kind !== 'differ') return null;
  const isLowered = changeOf(change).startsWith('-');
  return { ...sale, total, receipt: isLowered ? evolveReceipt(receipt, { amount }) : receipt };
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
  if (status === 'delivered') await releaseAside(session, { place: { laneId, seq }, now: at }, keys);
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
