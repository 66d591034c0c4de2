import type {
  CancelRequest,
  IdentityPlace,
  IgnoredReason,
  IntentEvent,
  IntentState,
  PartnerCommand,
  RecordPosition,
  RoutedIntent,
} from '#intents/core';
import {
  addressedTo,
  changedBy,
  decide,
  decideTakingBack,
  isSoldFor,
  laneDetoursMax,
  nobody,
  ofAmount,
  overtakenBy,
  withProfilePathsOf,
  withUnsentOptOuts,
} from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';

import { within } from '../coordination/pauses.js';
import { erasedName } from '../erasure/erased-names.js';
import { awaitErasure } from '../erasure/erasure.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { lockLane } from '../lanes/lane-locks.js';
import { appendByOthers, loadIntentState, reopenInLane } from '../lanes/locked-lane.js';
import { findSaleChanges, takesBack } from '../lanes/receipt-account.js';
import { loadCommands } from '../operator/load-commands.js';
import { cancelAwaited, insertMark } from './cancel-marks.js';
import { cancelQueued, eraseMember } from './cancel-queued.js';
import type { IdentityToInsert, JudgedRecord, KnownKeys } from './identities.js';
import { businessDigest, isCancelled, noMembersLane } from './identities.js';
import type { Member, MemberCache } from './members.js';
import { memberKey, raiseGeneration } from './members.js';
import type { IntentToPlace, PlacedIntent } from './place-intents.js';
import type { CancelToDo, CorrectionToDo, SegmentPlan } from './plan-segment.js';
import type { ProfileMarkTable } from './profile-marks.js';
import { findReceipts, hasUnsettledBack } from './receipts.js';
import type { IngestKeys, PendingWrites, PreparedRecord, RecordingContext, RecordResult } from './recording.js';

/** What the consequences of a segment are carried out with. */
export interface SegmentTools {
  readonly session: SqlSession;
  readonly context: RecordingContext;
  readonly keys: IngestKeys;
  /** Caches the members of the records. */
  readonly members: MemberCache;
  readonly profiles: ProfileMarkTable;
  readonly writes: PendingWrites;
}

interface CancelContext extends KnownKeys {
  readonly members: ReadonlyMap<string, Member>;
  readonly now: number;
  /** Where the record lay that asks for it. */
  readonly cause: RecordPosition;
  /** When it happened what the record tells, epoch ms; null: it is not known. */
  readonly happenedAt: number | null;
}

/** What became of a cancel request. */
type CancelOutcome =
  | { readonly kind: 'cancelled' }
  /** `isRequested`: it is under way or in doubt, and never sent again. `laneId`: whose it is. `receipt`: of a refund, its sale's key. */
  | {
      readonly kind: 'too-late';
      readonly laneId: number;
      readonly instead: RoutedIntent | null;
      readonly isRequested: boolean;
      readonly receipt?: Uint8Array | null;
    }
  /** They disagree about what was paid: it is parked for an operator. */
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
async function cancelNotBegun(
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
  const { happenedAt } = context;
  const until = happenedAt === null ? {} : { leftAt: happenedAt };
  const queue = { laneId, now, ...cause, rest: 'leave', sparesOptOuts: false, ...until } as const;
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
  const key = businessDigest(cancel, target, context.members);
  const name = key.toString('hex');
  const identity = context.known.get(name);
  // Known, and without an intent of its own: there is nothing that could be sent.
  const { now, cause } = context;
  if (identity?.place) return cancelOne(session, { cancel, place: identity.place, key, now, cause }, keys);
  if (identity !== undefined) return nothing;
  const mark = context.marks.get(name);
  // One that named nobody stands in no list: this one does.
  const isListed = mark !== undefined && (mark.laneId !== noMembersLane || cancel.memberId === nobody);
  return isListed ? nothing : { kind: 'unknown', key };
}

interface CancelOne extends Pick<CancelContext, 'now' | 'cause'> {
  readonly cancel: CancelRequest;
  readonly place: IdentityPlace;
  /** Of what is there, in `dedup`. */
  readonly key: Buffer;
}

async function cancelOne(session: SqlSession, request: CancelOne, keys: MemberKeys): Promise<CancelOutcome> {
  const { cancel, place, now, cause } = request;
  const { state, isUntouched } = await loadIntentState(session, place);
  if (state.status === 'absent' || state.status === 'cancelled') return nothing;
  const disagrees = !(await agreesAboutTotal(session, request, keys));
  if (disagrees && isUntouched) return parkForTotal(session, { ...request, state }, keys);
  const command = { at: now, by: 'source-event', reason: cancel.reason, cause } as const;
  const decision = decide(state, { type: isUntouched ? 'CancelIntent' : 'RequestCancel', ...command });
  const events = decision.kind === 'events' ? decision.events : [];
  for (const event of events) {
    await appendByOthers(session, { ...place, event, evidence: null, settles: isUntouched }, keys);
  }
  if (isUntouched) return { kind: 'cancelled' };
  const isOpen = !['delivered', 'parked'].includes(state.status);
  return tooLate(session, { ...request, instead: insteadOf(cancel, { isOpen, disagrees }), events });
}

interface TooLate extends CancelOne {
  readonly instead: RoutedIntent | null;
  readonly events: readonly IntentEvent[];
}

async function tooLate(session: SqlSession, { instead, events, ...request }: TooLate): Promise<CancelOutcome> {
  if (await isTakenBack(session, request)) return nothing;
  const { cancel, place } = request;
  const left = await ofWhatIsLeft(session, instead, request);
  const receipt = isOfRefund(cancel) ? { receipt: await receiptOfRefund(session, place) } : {};
  return { kind: 'too-late', laneId: place.laneId, instead: left, isRequested: events.length > 0, ...receipt };
}

const takenBackStatement: SqlStatement = {
  name: 'is_taken_back',
  text: `
SELECT EXISTS (SELECT FROM intent b LEFT JOIN intent_standing s USING (lane_id, seq)
  WHERE b.lane_id = $1 AND b.waits_for_seq = $2 AND ${takesBack('b')} AND s.status IS DISTINCT FROM 'cancelled') AS is`,
};

const manyNumbers: readonly Target['scope'][] = ['grant', 'refund'];

/** Whether what has several numbers is taken back under another one of them: what takes it back has a key for each. */
async function isTakenBack(session: SqlSession, { cancel: { target }, place }: CancelOne): Promise<boolean> {
  if (typeof target !== 'object' || !manyNumbers.includes(target.scope)) return false;
  const { rows } = await session.query<{ readonly is: boolean }>(takenBackStatement, [place.laneId, place.seq]);
  return rows[0]?.is === true;
}

const isOfRefund = ({ target }: CancelRequest): boolean => typeof target === 'object' && target.scope === 'refund';

const receiptStatement: SqlStatement = {
  name: 'receipt_of_refund',
  text: 'SELECT receipt FROM intent WHERE lane_id = $1 AND seq = $2',
};

/** Null: it has left the history. */
async function receiptOfRefund(session: SqlSession, { laneId, seq }: IdentityPlace): Promise<Buffer | null> {
  const { rows } = await session.query<{ readonly receipt: Buffer | null }>(receiptStatement, [laneId, seq]);
  return rows[0]?.receipt ?? null;
}

/**
 * What takes a whole sale back takes what its refunds have left; null: nothing. As long as one of them may come to nothing yet it
 * stands in a list, and goes once all are settled; what no call can carry, or names another total, is for a person.
 */
async function ofWhatIsLeft(
  session: SqlSession,
  late: RoutedIntent | null,
  { place, key }: CancelOne,
): Promise<RoutedIntent | null> {
  if (late?.ofReceipt === undefined) return late;
  const sale = { ...place, key };
  const [receipt] = (await findReceipts(session, [sale])).values();
  if (receipt === undefined) return late;
  const decision = decideTakingBack(receipt, { amount: null });
  const rest = decision.kind === 'take' && decision.amount !== null ? ofAmount(late, decision.amount) : late;
  if (await hasUnsettledBack(session, sale)) {
    const detail = `voided too late: of what came back, ${receipt.back}, not all is settled`;
    const takesRest = late.command !== null && late.parked === null ? { takesRest: true as const } : {};
    return { ...rest, parked: { reason: 'conflict', detail, ...takesRest } };
  }
  return decision.kind === 'nothing' ? null : rest;
}

const anotherTotal = 'by an event that names another total';

/** As far as both say what was paid, by now; of a sale that was claimed when some had come back, also with that. */
async function agreesAboutTotal(
  session: SqlSession,
  { cancel, place, key }: CancelOne,
  keys: MemberKeys,
): Promise<boolean> {
  const { total } = cancel;
  if (total === undefined) return true;
  const [loaded] = await loadCommands(within(session), [place], keys);
  if (loaded?.current.kind !== 'command') return true;
  const { changed, cameBack } = await findSaleChanges(session, { ...place, key });
  const { current, currency } = loaded;
  const sold = changedBy(current.command, changed) ?? current.command;
  if (isSoldFor(total, sold, currency)) return true;
  const told = cameBack === null ? null : changedBy(sold, cameBack);
  return told !== null && isSoldFor(total, told, currency);
}

/** An operator says which of them is right; until then nothing is sent. */
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
 * What takes back is not sent where the totals disagree. What an operator must settle, since no call can carry it, waits for
 * the outcome of its target: perhaps there is nothing to take back.
 */
function insteadOf(
  { ifTooLate, reason }: CancelRequest,
  { isOpen, disagrees }: { readonly isOpen: boolean; readonly disagrees: boolean },
): RoutedIntent | null {
  if (ifTooLate === null) return null;
  if (disagrees) return { ...ifTooLate, parked: { reason: 'conflict', detail: `${reason} too late, ${anotherTotal}` } };
  return isOpen && ifTooLate.parked?.reason !== 'conflict' ? { ...ifTooLate, parked: null } : ifTooLate;
}

/** Why a record whose only purpose was to cancel did nothing; null when it did something. */
function ignoredCancel(outcomes: readonly CancelOutcome[]): IgnoredReason | null {
  if (outcomes.some(({ kind }) => kind !== 'too-late' && kind !== 'nothing-to-cancel')) return null;
  const tooLate = outcomes.filter((outcome) => outcome.kind === 'too-late');
  if (tooLate.some(({ instead, isRequested }) => instead !== null || isRequested)) return null;
  return tooLate.length > 0 ? 'void-after-delivery' : 'nothing-to-cancel';
}

interface Cancelled {
  /** What is to be recorded where it was too late to cancel. */
  readonly instead: IntentToPlace[];
  readonly marks: IdentityToInsert[];
  /** A segment with cancels holds one record only, so this is the record's result. Null: the plan's stands. */
  readonly ignored: RecordResult | null;
}

function happenedAt({ verdict }: PreparedRecord): number | null {
  return verdict.kind === 'routed' ? (verdict.profilePosition?.timeMs ?? null) : null;
}

/** Cancels what a segment's records want cancelled. */
export async function carryOutCancels(tools: SegmentTools, plan: SegmentPlan, known: KnownKeys): Promise<Cancelled> {
  const { session, members, keys, context: where } = tools;
  const outcomes: CancelOutcome[] = [];
  const marks: IdentityToInsert[] = [];
  for (const { cancel: request, record } of plan.cancels) {
    const { topic, partition } = where.sourceOf(record.original);
    const cause = { topic, partition, offset: record.original.offset, ...timeOf(record) };
    const context = { members: members.all, ...known, now: where.now, cause, happenedAt: happenedAt(record) };
    const outcome = await cancelNotBegun(session, { cancel: request, context }, keys.members);
    outcomes.push(outcome);
    if (outcome.kind === 'unknown') marks.push(await leaveMark(tools, outcome.key, { cancel: request, record }));
  }
  const hasNoIntents = plan.intents.length === 0;
  const instead: IntentToPlace[] = [];
  for (const [index, item] of plan.cancels.entries()) {
    const recorded = await intentInstead(tools, item, outcomes[index]);
    if (recorded !== null) instead.push({ ...item, ...recorded, ownsIdentity: hasNoIntents && index === 0 });
  }
  const isCancelOnly = plan.cancels.length > 0 && hasNoIntents && plan.memberEffects.length === 0;
  const reason = isCancelOnly ? ignoredCancel(outcomes) : null;
  return {
    instead,
    marks: notAwaited(tools, marks, known),
    ignored: reason === null ? null : { kind: 'ignored', reason },
  };
}

/** What is waited for has its row: that says from now on that it is to be cancelled when it comes. @returns the others */
function notAwaited(
  { session, writes }: SegmentTools,
  marks: readonly IdentityToInsert[],
  { awaited }: Pick<KnownKeys, 'awaited'>,
): IdentityToInsert[] {
  const { there = [], fresh = [] } = Object.groupBy(marks, ({ key }) =>
    awaited.has(Buffer.from(key).toString('hex')) ? 'there' : 'fresh',
  );
  if (there.length > 0) {
    const keys = there.map(({ key }) => key);
    writes.addJudged(cancelAwaited(session, keys));
  }
  return fresh;
}

function timeOf({ verdict }: PreparedRecord): Pick<RecordPosition, 'timeMs'> {
  return verdict.kind === 'routed' ? { timeMs: verdict.occurredAt } : {};
}

/**
 * What it means has not come yet: until that comes, and is cancelled with it, it stands in a list. Of what names no member most is
 * of sales without a card. It has taken nothing back, so that its number is not used up: another void of what comes under it counts.
 */
function aside({ memberId, reason, ifTooLate }: CancelRequest): Pick<IntentToPlace, 'intent' | 'usesNoNumber'> | null {
  if (memberId === nobody || ifTooLate === null) return null;
  const detail = `${reason}: nobody has told of what it takes back yet`;
  const intent = { ...ifTooLate, parked: { reason: 'missing-purchase', detail } } as const;
  return { intent, usesNoNumber: true };
}

/** It is recorded for the member whose intent could not be cancelled, or lives on in, whatever member the event names. */
async function intentInstead(
  { session, members, profiles }: SegmentTools,
  { cancel: request }: CancelToDo,
  outcome: CancelOutcome | undefined,
): Promise<Pick<IntentToPlace, 'intent' | 'receipt' | 'usesNoNumber'> | null> {
  if (outcome?.kind === 'unknown') return aside(request);
  if (outcome?.kind !== 'too-late' || outcome.instead === null) return null;
  const { instead: intent, receipt = null, laneId } = outcome;
  if (members.all.get(memberKey(request))?.laneId === laneId) return { intent, receipt };
  const { memberId } = profiles.survivorOf(await members.ofLane(session, laneId));
  return { intent: addressedTo(intent, { memberId, isByEmail: request.isByEmail === true }), receipt };
}

/** An erased member is not brought back by it: then the mark says nothing but that it is one. */
async function leaveMark(
  { session, members, keys, context, writes }: SegmentTools,
  key: Buffer,
  { cancel: request, record }: { readonly cancel: CancelRequest; readonly record: PreparedRecord },
): Promise<IdentityToInsert> {
  const namesMember = request.memberId !== nobody;
  if (namesMember && !members.all.has(memberKey(request))) await members.createMissing(session, [request]);
  const member = members.all.get(memberKey(request)) ?? null;
  if (namesMember && member === null) throw new Error('a mark of a member that does not exist cannot be left');
  const { program, absorbed: named } = request;
  const absorbed = named === undefined ? null : (members.all.get(memberKey({ program, memberId: named })) ?? null);
  const tools = { keys: keys.members, macKey: keys.mac, context };
  writes.add(insertMark(session, { key, cancel: request, record, member, absorbed }, tools));
  return { key, kind: 'mark', contentMac: isCancelled, laneId: null, seq: null };
}

/**
 * Erases members. Before the record's own intents are placed: they are sealed with another key than what is erased.
 * @returns what is to be placed: it also carries the opt-outs that have not been reported to the partner yet
 */
export async function carryOutErasures(
  { session, members, profiles, keys, context: { now } }: SegmentTools,
  plan: SegmentPlan,
): Promise<IntentToPlace[]> {
  let { intents } = plan;
  for (const { member: name, effects, happenedAt } of plan.memberEffects) {
    if (!effects.erase) continue;
    // An opt-out that is newer than the request to erase is not forgotten with the rest.
    const at = Math.max(happenedAt ?? now, profiles.leftAt(name));
    profiles.erased(name, at);
    const member = members.all.get(memberKey(name));
    if (member === undefined) continue;
    const { erasedSeq, openOptOuts } = await eraseMember(session, { member, at, now }, keys);
    members.erased(member, { erasedSeq, at });
    const isTheirs = ({ intent }: IntentToPlace): boolean => memberKey(intent) === memberKey(name);
    intents = intents.map((item) => (isTheirs(item) ? withOpenOptOuts(item, openOptOuts) : item));
  }
  return intents;
}

function withOpenOptOuts(item: IntentToPlace, openOptOuts: readonly PartnerCommand[]): IntentToPlace {
  const { command } = item.intent;
  if (command === null || openOptOuts.length === 0) return item;
  return { ...item, intent: { ...item.intent, command: withUnsentOptOuts(command, openOptOuts) } };
}

/** Raises the generation of who left the program; an erasure waits for what its record has placed. */
export async function changeMembers(
  { session, members, keys, context: { now } }: SegmentTools,
  plan: SegmentPlan,
  placed: readonly PlacedIntent[],
): Promise<void> {
  for (const { member, effects } of plan.memberEffects) {
    const known = members.all.get(memberKey(member));
    if (known === undefined) continue;
    const { laneId } = known;
    const untilSeq = placed.findLast((item) => item.laneId === laneId)?.seq;
    if (!effects.erase && effects.raisesGeneration) {
      members.changed({ ...known, generation: await raiseGeneration(session, laneId) });
    } else if (effects.erase && untilSeq !== undefined) {
      await awaitErasure(session, { laneId, untilSeq, now, erasedName: erasedName(keys.mac, known.memberId) });
    }
  }
}

/**
 * Marks which changed enrolments are corrections (contracts.md section 1): while nothing of the first enrolment can have
 * taken effect it is corrected, afterwards the other content is an update. One that only a lost history may have sent is
 * looked up before it is sent, and the pass that is found is updated with what it says by then. The lanes are locked.
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
 * A parked enrolment that says something else now is sent: no operator would replay what a shop has mended. It stays
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
  const command = { at: now, by: 'source-event', reason: 'enrolled-again' } as const;
  const decision = decide(state, { type: 'ReplayIntent', ...command, overtaken });
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
