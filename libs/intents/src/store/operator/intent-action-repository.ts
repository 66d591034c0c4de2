import { Injectable } from '@nestjs/common';

import type {
  Decision,
  EventPlanner,
  IdentityPlace,
  IgnoredCommandReason,
  IntentCommand,
  IntentEvent,
  IntentState,
  PartnerCommand,
} from '#intents/core';
import { commandOfAmount, decide, isOpenAgain, laneDetoursMax, overtakenBy, requeue } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';
import { Database } from '#platform';

import { dropMark } from '../batch/cancel-marks.js';
import { within } from '../coordination/pauses.js';
import { isOfAbsorbed, isOfWhoLeft } from '../events/left-members.js';
import { MemberKeys } from '../keys/member-keys.js';
import type { LockedLane } from '../lanes/lane-locks.js';
import { daemon } from '../events/stored-event.js';
import { lockLane, lockLanes } from '../lanes/lane-locks.js';
import { appendByOthers, loadIntentState, reopenInLane } from '../lanes/locked-lane.js';
import { isOverAccount, isOverdrawn, restToTake } from '../lanes/receipt-account.js';
import type { RefusedReissue } from '../passes/reissue-pass.js';
import { reissueByWord } from '../passes/reissue-pass.js';
import { releaseEnrolled } from '../passes/release-missing.js';
import type { LoadedCommand } from './load-commands.js';
import { loadCommands } from './load-commands.js';
import { findMapped, recordMapped } from './mapped-call.js';
import type { ActingRole, AuditContext } from './operator-action.js';
import { recordAction } from './operator-action.js';
import { takeOutdated } from './outdated-update.js';

/** An intent as people name it (contracts.md section 4: `PROGRAM~MEMBER~SEQ`). */
export interface IntentName {
  readonly program: string;
  readonly memberId: string;
  readonly seq: number;
}

const findIntentPlaceStatement: SqlStatement = {
  name: 'find_intent_place',
  text: `
SELECT lane_id AS "laneId", seq FROM member JOIN intent USING (lane_id)
WHERE program_id = $1 AND member_id = $2 AND seq = $3`,
};

/** What a person may do to one intent. `isForced`: although it was put back often without success. */
export type IntentAction =
  | { readonly kind: 'replay'; readonly isForced?: boolean }
  /** `isNotDelivered`: although it may have taken effect, for the person has looked, and it has not. */
  | { readonly kind: 'cancel'; readonly isNotDelivered?: boolean }
  /** `isKept`: what was not delivered stays parked, and is sent by a replay only. */
  | {
      readonly kind: 'resolve';
      readonly as: 'delivered' | 'not-delivered';
      readonly isForced?: boolean;
      readonly isKept?: boolean;
    };

export type RefusedAction =
  | IgnoredCommandReason
  /** Of a delivered enrolment whose pass is known to be gone. */
  | RefusedReissue
  /** It was never given a command for the partner: there is nothing to send. */
  | 'nothing-to-send'
  /** Its member has left: it goes to nobody, by nobody's word. */
  | 'not-a-member'
  /** More of its receipt would come back than was paid: somebody corrects it, or insists. */
  | 'over-refund'
  /** It comes back each time: somebody finds out why before it is sent once more, or insists. */
  | 'replayed-too-often'
  /** An admin has corrected it, taken it in or forced it: who is none does not give it up. */
  | 'decided-by-admin'
  /** Something has become of it since it was selected: what was said was of what was seen then. */
  | 'changed-since';

/** `overtaken`: how many later intents of the lane had been settled already. */
export type ActionResult =
  | { readonly kind: 'done'; readonly event: IntentEvent; readonly overtaken: number }
  | { readonly kind: 'refused'; readonly reason: RefusedAction };

/** What else is written in the same transaction, whatever came of the action. Throwing undoes everything. */
export type Alongside = (session: SqlSession, result: ActionResult) => Promise<void>;

export interface ActionRequest {
  readonly place: IdentityPlace;
  readonly action: IntentAction;
  readonly audit: AuditContext;
  /** Absent: an operator's. */
  readonly role?: ActingRole;
  /** The version of its last event when it was selected; absent: whatever has become of it. */
  readonly seenVersion?: number;
  /** Finds the call of what was recorded without one; absent: that is not sent, nor what was kept while its member was away. */
  readonly planner?: EventPlanner;
}

interface LanePosition {
  /** How many later ones of the lane have been settled before it. */
  readonly overtaken: number;
  readonly isForgotten: boolean;
}

function commandOf({ action, audit }: ActionRequest, { overtaken, isForgotten }: LanePosition): IntentCommand {
  const { at, actor, reason } = audit;
  const said = { at, by: actor, reason };
  switch (action.kind) {
    case 'replay':
      return { type: 'ReplayIntent', ...said, overtaken };
    case 'cancel':
      return { type: 'CancelIntent', ...said, isForgotten, isNotDelivered: action.isNotDelivered === true };
    case 'resolve':
      return { type: 'ResolveIntent', ...said, as: action.as, isKept: action.isKept === true };
  }
}

interface Judged {
  readonly events: readonly IntentEvent[];
  /** What it comes to: the last of them. */
  readonly event: IntentEvent;
}

interface Judging {
  readonly judged: Judged;
  readonly lane: LockedLane;
  readonly request: ActionRequest;
  readonly state: IntentState;
  readonly isForgotten: boolean;
  /** The call of what was recorded without one; null: it has its own, or none. */
  readonly mapped: PartnerCommand | null;
}

async function refusalOf(session: SqlSession, judging: Judging): Promise<RefusedAction | null> {
  const { judged, lane, request } = judging;
  const { events, event } = judged;
  // Also of what is cancelled in the same breath: the lane steps over it when it comes to it.
  if (events.some(isOpenAgain) && isOneTooMany(lane, request.place)) return 'too-many-put-back';
  if (!isOpenAgain(event)) return (await undoesAdmin(session, request)) ? 'decided-by-admin' : null;
  const unsendable = await whyUnsendable(session, judging);
  if (unsendable !== null) return unsendable;
  const gone = await whyWithoutMember(session, request.place);
  if (gone !== null) return gone;
  if (isForced(request.action)) return null;
  if (await isOverAccount(session, { place: request.place })) return 'over-refund';
  return (await isLooping(session, request)) ? 'replayed-too-often' : null;
}

/** What a lost history may have sent by another file is not sent before a person says that it was not. */
async function whyUnsendable(
  session: SqlSession,
  { request: { place, action }, mapped, isForgotten }: Judging,
): Promise<RefusedAction | null> {
  if (mapped === null) return (await hasContent(session, place)) ? null : 'nothing-to-send';
  return isForgotten && action.kind === 'replay' && provesItself(mapped) ? 'in-doubt' : null;
}

function isOneTooMany({ cursor }: LockedLane, { seq }: IdentityPlace): boolean {
  return requeue(cursor, seq, true).redo.length > laneDetoursMax;
}

/** What is not sent any more, cancelled or said to be delivered, is given up for good. */
async function undoesAdmin(session: SqlSession, { place, role }: ActionRequest): Promise<boolean> {
  return role !== 'admin' && (await isDecidedByAdmin(session, place));
}

async function isLooping(session: SqlSession, { place }: ActionRequest): Promise<boolean> {
  return (await countPutBack(session, place)) >= replaysWithoutForceMax;
}

const isKept = (action: IntentAction): boolean => action.kind === 'resolve' && action.isKept === true;

/** Why nothing is said of it: it has moved, or it holds its lane, which a word that sends nothing would let go on. */
async function whyUnseen(session: SqlSession, lane: LockedLane, request: ActionRequest): Promise<RefusedAction | null> {
  if (await hasChanged(session, request)) return 'changed-since';
  return isKept(request.action) && lane.isBlocked && lane.cursor.current === request.place.seq ? 'blocks' : null;
}

const lastVersionStatement: SqlStatement = {
  name: 'find_last_version',
  text: 'SELECT COALESCE(max(version), 0) AS version FROM intent_event WHERE lane_id = $1 AND seq = $2',
};

/** The lane is locked. */
async function hasChanged(
  session: SqlSession,
  { place: { laneId, seq }, seenVersion }: Pick<ActionRequest, 'place' | 'seenVersion'>,
): Promise<boolean> {
  if (seenVersion === undefined) return false;
  const { rows } = await session.query<{ version: number }>(lastVersionStatement, [laneId, seq]);
  return rows[0]?.version !== seenVersion;
}

function isForced(action: IntentAction): boolean {
  return action.kind !== 'cancel' && action.isForced === true;
}

function judge(decision: Decision): Judged | RefusedAction {
  if (decision.kind === 'ignored') return decision.reason;
  const { events } = decision;
  const event = events.at(-1);
  return event === undefined ? 'already-settled' : { events, event };
}

async function append(
  session: SqlSession,
  {
    events,
    lane,
    request,
  }: { readonly events: Judged['events']; readonly lane: LockedLane; readonly request: ActionRequest },
  keys: MemberKeys,
): Promise<void> {
  const { place, audit } = request;
  for (const event of events) {
    if (isOpenAgain(event)) await reopenInLane(session, { place, event, lane, now: audit.at }, keys);
    else await appendByOthers(session, { ...place, event, evidence: null, settles: true }, keys);
  }
}

function auditAction({ audit, action, place }: ActionRequest): Alongside {
  return async (session, { kind }) => {
    if (kind !== 'done') return;
    await recordAction(session, { audit, action: `intent.${action.kind}`, place, ...detailOf(action) });
  };
}

/** What was decided, besides that it was. */
function detailOf(action: IntentAction): { readonly detail?: Readonly<Record<string, boolean | string>> } {
  const detail = {
    ...(action.kind === 'resolve' ? { as: action.as } : {}),
    ...(isForced(action) ? { force: true } : {}),
    ...(action.kind === 'cancel' && action.isNotDelivered === true ? { notDelivered: true } : {}),
  };
  return Object.keys(detail).length === 0 ? {} : { detail };
}

async function act(session: SqlSession, request: ActionRequest, keys: MemberKeys): Promise<ActionResult> {
  const { place } = request;
  const lane = await lockLane(session, place.laneId);
  if (lane === null) return { kind: 'refused', reason: 'not-recorded' };
  const unseen = await whyUnseen(session, lane, request);
  if (unseen !== null) return { kind: 'refused', reason: unseen };
  const overtaken = overtakenBy(lane.cursor, place.seq);
  const { state, isForgotten } = await loadIntentState(session, place);
  const reissued =
    state.status === 'delivered' && sendsAgain(request) ? await reissueByWord(session, request, keys) : null;
  if (reissued !== null) return reissued;
  const judged = judge(decide(state, commandOf(request, { overtaken, isForgotten })));
  if (typeof judged === 'string') return { kind: 'refused', reason: judged };
  const planner = isOpenAgain(judged.event) ? request.planner : undefined;
  const mapped = await findMapped(session, { place, state }, { planner, keys });
  const judging = { judged, lane, request, state, isForgotten, mapped };
  const reason = await refusalOf(session, judging);
  if (reason !== null) return { kind: 'refused', reason };
  return { kind: 'done', event: await carryOut(session, judging, keys), overtaken };
}

/** @returns what the intent has come to */
async function carryOut(session: SqlSession, judging: Judging, keys: MemberKeys): Promise<IntentEvent> {
  const { judged, lane, request, state, mapped } = judging;
  const { events, event } = judged;
  const { place, audit } = request;
  if (mapped !== null) await recordMapped(session, { place, state, command: mapped, at: audit.at }, keys);
  if (isOpenAgain(event) && !isForced(request.action)) await takeRest(session, judging, keys);
  await append(session, { events, lane, request }, keys);
  if (event.type === 'IntentCancelled') {
    await releaseEnrolment(session, place);
    await dropMark(session, place);
  }
  if (event.type === 'IntentResolved' && event.as === 'delivered') {
    await releaseEnrolled(session, { place, now: audit.at, sendsKept: sendsKeptBy(request.planner) }, keys);
  }
  const outdated = isOpenAgain(event) ? await takeOutdated(session, { place, now: audit.at }, keys) : null;
  return outdated ?? event;
}

const sendsKeptBy =
  (planner: EventPlanner | undefined) =>
  (program: string): boolean =>
    planner?.sendsKept(program) ?? false;

function sendsAgain({ action }: ActionRequest): boolean {
  return action.kind === 'replay' || (action.kind === 'resolve' && action.as === 'not-delivered');
}

const releaseEnrolmentStatement: SqlStatement = {
  name: 'release_enrolment',
  text: `
UPDATE member m SET generation = m.generation + 1 FROM lane l
WHERE l.lane_id = $1 AND l.issue_seq = $2 AND m.lane_id = l.lane_id`,
};

/**
 * A member whose last enrolment is cancelled may enrol again: nothing of it stands at the partner, and the key of an enrolment
 * counts within a generation. Of any other intent nothing changes.
 */
async function releaseEnrolment(session: SqlSession, { laneId, seq }: IdentityPlace): Promise<void> {
  await session.query(releaseEnrolmentStatement, [laneId, seq]);
}

/** What was put back so often without success needs somebody who insists. */
export const replaysWithoutForceMax = 5;

const countPutBackStatement: SqlStatement = {
  name: 'count_put_back',
  text: `
SELECT count(*)::int AS times FROM intent_event
WHERE lane_id = $1 AND seq = $2
  AND (type = 'IntentReplayed' AND data->>'by' <> 'loyaltyd' OR type = 'IntentResolved' AND data->>'as' = 'not-delivered')`,
};

/**
 * How often people have put an intent back to be sent again: by a replay, or by their word that it was not delivered,
 * which sends it just as well. The lane must be locked, so that two of them do not both come just below the limit.
 */
async function countPutBack(session: SqlSession, { laneId, seq }: IdentityPlace): Promise<number> {
  return (await session.query<{ times: number }>(countPutBackStatement, [laneId, seq])).rows[0]?.times ?? 0;
}

/** An intent that was parked when it was recorded has no command, until somebody gives it one. Erased is erased. */
const hasContentStatement: SqlStatement = {
  name: 'has_content',
  text: `
SELECT NOT EXISTS (SELECT FROM member WHERE lane_id = $1 AND erased_seq >= $2::int) AND (NOT EXISTS (
    SELECT FROM intent_event WHERE lane_id = $1 AND seq = $2 AND type = 'IntentParked'
      AND data->>'reason' IN ('unroutable', 'merged', 'card-replaced'))
  OR EXISTS (SELECT FROM intent_event WHERE lane_id = $1 AND seq = $2 AND type = 'IntentCorrected')) AS content`,
};

/** Whether there is something to send to the partner. */
async function hasContent(session: SqlSession, { laneId, seq }: IdentityPlace): Promise<boolean> {
  return (await session.query<{ content: boolean }>(hasContentStatement, [laneId, seq])).rows[0]?.content === true;
}

const isWithoutMemberStatement: SqlStatement = {
  name: 'is_without_member',
  text: `
SELECT ${isOfAbsorbed('i', 'm')} AS "isMerged" FROM intent i JOIN member m USING (lane_id)
WHERE i.lane_id = $1 AND i.seq = $2 AND ${isOfWhoLeft('i', 'm')}`,
};

async function whyWithoutMember(
  session: SqlSession,
  { laneId, seq }: IdentityPlace,
): Promise<'merged' | 'not-a-member' | null> {
  const { rows } = await session.query<{ isMerged: boolean }>(isWithoutMemberStatement, [laneId, seq]);
  if (rows[0] === undefined) return null;
  return rows[0].isMerged ? 'merged' : 'not-a-member';
}

/** Traces tell what took an admin; those of a forced replay are its items. */
const isDecidedByAdminStatement: SqlStatement = {
  name: 'is_decided_by_admin',
  text: `
SELECT EXISTS (
    SELECT FROM operator_action WHERE lane_id = $1 AND seq = $2 AND (detail ? 'privileged' OR detail->'force' = 'true')
  ) OR EXISTS (
    SELECT FROM job j JOIN job_item i USING (job_id)
    WHERE j.kind = 'replay' AND j.request->'force' = 'true' AND i.lane_id = $1 AND i.seq = $2 AND i.state NOT IN ('waiting', 'refused', 'skipped')
  ) AS decided`,
};

/** Whether an admin has said of an intent what only an admin may: corrected it, taken it in or had it sent by force. */
async function isDecidedByAdmin(session: SqlSession, { laneId, seq }: IdentityPlace): Promise<boolean> {
  return (
    (await session.query<{ decided: boolean }>(isDecidedByAdminStatement, [laneId, seq])).rows[0]?.decided === true
  );
}

interface CorrectionRequest {
  readonly place: IdentityPlace;
  /**
   * The command as it is to be from now on, made of what it is now (null: it has none). Throwing undoes everything and
   * is passed on.
   */
  readonly revise: (current: PartnerCommand | null) => RevisedCommand;
  readonly audit: AuditContext;
  /** As of an action. */
  readonly seenVersion?: number;
  /** Likewise, and it is sent in the same transaction; absent: it is not sent. */
  readonly replay?: Omit<ActionRequest, 'place' | 'audit' | 'action'>;
}

export interface RevisedCommand {
  readonly command: PartnerCommand;
  /** Paths that differ, for the trace. Never a value. */
  readonly changed: readonly string[];
  /** Those that took an admin. */
  readonly privileged: readonly string[];
}

export type CorrectionResult =
  | { readonly kind: 'done'; readonly before: PartnerCommand | null; readonly after: PartnerCommand }
  | { readonly kind: 'refused'; readonly reason: RefusedAction };

interface Allowed {
  readonly state: IntentState;
  /** Why it is not allowed where the partner's refusal of a unique value is to tell what a lost history has done; null: there is none. */
  readonly untoldBy: RefusedAction | null;
}

async function allowed(session: SqlSession, { place, audit }: CorrectionRequest): Promise<Allowed | RefusedAction> {
  const { at, actor, reason } = audit;
  const { state, isForgotten } = await loadIntentState(session, place);
  const decision = decide(state, { type: 'CorrectIntent', at, by: actor, reason });
  if (decision.kind === 'ignored') return decision.reason;
  const untold = state.status === 'parked' ? 'in-doubt' : 'in-flight';
  return { state, untoldBy: isForgotten ? untold : null };
}

const amountOf = (command: PartnerCommand | null): string | null =>
  command?.operation === 'transaction' ? command.amount.replace('-', '') : null;

/** What a transaction is of from now on, without a sign; undefined: what it was of before. */
function amountSaid(before: PartnerCommand | null, after: PartnerCommand): string | undefined {
  const amount = amountOf(after);
  return amount === null || amount === amountOf(before) ? undefined : amount;
}

/** What goes, or comes back, by itself is not looked at again before it is sent. */
const isSentUnasked = (state: IntentState): boolean =>
  state.status !== 'parked' || state.reason === 'held' || state.reason === 'missing-purchase';

/** Not more is to come back of a sale than it is of, whichever of them is corrected. */
async function isTooMuch(session: SqlSession, { place, amount, state }: Saying): Promise<boolean> {
  if (amount === undefined) return false;
  if (await isOverdrawn(session, { place, amount })) return true;
  return isSentUnasked(state) && (await isOverAccount(session, { place, amount }));
}

/** The partner refuses twice what this says: after a restore that refusal tells whether a lost history has sent it. */
function provesItself(command: PartnerCommand | null): boolean {
  return command?.operation === 'transaction' && command.uniqueAttribute?.enforced === true;
}

async function currentOf(
  session: SqlSession,
  place: IdentityPlace,
  keys: MemberKeys,
): Promise<LoadedCommand['current']> {
  const [loaded] = await loadCommands(within(session), [place], keys);
  return loaded?.current ?? { kind: 'gone' };
}

async function correct(session: SqlSession, request: CorrectionRequest, keys: MemberKeys): Promise<CorrectionResult> {
  const { place, revise, audit } = request;
  if ((await lockLane(session, place.laneId)) === null) return { kind: 'refused', reason: 'not-recorded' };
  if (await hasChanged(session, request)) return { kind: 'refused', reason: 'changed-since' };
  const allowance = await allowed(session, request);
  if (typeof allowance === 'string') return { kind: 'refused', reason: allowance };
  const current = await currentOf(session, place, keys);
  if (current.kind === 'gone') return { kind: 'refused', reason: 'erased' };
  const before = current.kind === 'command' ? current.command : null;
  const { command, changed, privileged } = revise(before);
  const { state, untoldBy } = allowance;
  if (untoldBy !== null && [before, command].some(provesItself)) return { kind: 'refused', reason: untoldBy };
  const saying = { place, state, command, amount: amountSaid(before, command), audit };
  if (await isTooMuch(session, saying)) return { kind: 'refused', reason: 'over-refund' };
  await say(session, saying, keys);
  const detail = { changed, ...(privileged.length > 0 ? { privileged } : {}) };
  await recordAction(session, { audit, action: 'intent.correct', place, detail });
  return { kind: 'done', before, after: command };
}

/** Undoes a correction of what cannot be sent then. */
class NotSentError extends Error {
  override readonly name = 'NotSentError';

  constructor(readonly reason: RefusedAction) {
    super(`corrected, and not sent: ${reason}`);
  }
}

async function correctAndSend(
  session: SqlSession,
  request: CorrectionRequest,
  keys: MemberKeys,
): Promise<CorrectionResult> {
  const { place, audit, replay } = request;
  const corrected = await correct(session, request, keys);
  if (replay === undefined || corrected.kind === 'refused') return corrected;
  const sent = await act(session, { ...replay, place, audit, action: { kind: 'replay' } }, keys);
  if (sent.kind === 'refused') throw new NotSentError(sent.reason);
  return corrected;
}

interface Saying {
  readonly place: IdentityPlace;
  readonly state: IntentState;
  readonly command: PartnerCommand;
  /** Of that, without a sign; undefined: it is of the same as before. */
  readonly amount: string | undefined;
  readonly audit: Pick<AuditContext, 'at' | 'actor' | 'reason'>;
}

/** From now on it says that. The lane is locked. */
async function say(
  session: SqlSession,
  { place, state, command, amount, audit }: Saying,
  keys: MemberKeys,
): Promise<void> {
  const { at, actor: by, reason } = audit;
  const said = { at, by, reason, ...(amount === undefined ? {} : { amount }) };
  const decision = decide(state, { type: 'CorrectIntent', ...said });
  const evidence = JSON.stringify({ command });
  for (const event of decision.kind === 'events' ? decision.events : []) {
    await appendByOthers(session, { ...place, event, evidence, settles: false }, keys);
  }
}

/** A void of which nobody has said how much takes what is left by now. The lane is locked. */
async function takeRest(session: SqlSession, { request, state }: Judging, keys: MemberKeys): Promise<void> {
  const { place, audit } = request;
  const amount = await restToTake(session, place);
  const current = amount === null ? null : await currentOf(session, place, keys);
  if (amount === null || current?.kind !== 'command' || current.command.operation !== 'transaction') return;
  const command = commandOfAmount(current.command, amount);
  await say(
    session,
    { place, state, command, amount, audit: { at: audit.at, actor: daemon, reason: 'what-is-left' } },
    keys,
  );
}

/** SQL: whether an event (`e`) tells of a complete 2xx that proved nothing, or something else, as `isUnprovenCode` says. */
export const isUnprovenAnswer = `(e.type IN ('AttemptUnknown', 'LateOutcome')
  AND e.data->>'code' ~ '^((unproven|http)-2[0-9][0-9](-|$)|(foreign-pass|answered-otherwise)$)')`;

/** An answer that proves its attempt by the dialect of now. */
export interface ProvenAnswer extends IdentityPlace {
  readonly attempt: number;
  /** The answer, and by what it was read: kept sealed with what it settles. */
  readonly evidence: string;
}

export interface RereadAnswers {
  readonly proven: readonly ProvenAnswer[];
  readonly job: string;
  readonly audit: AuditContext;
  /** What was kept while a member was away is sent once an answer shows the card. */
  readonly sendsKept: boolean;
}

/** What people do with one intent, and jobs in their name. */
@Injectable()
export class IntentActionRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: MemberKeys,
  ) {}

  /** Where an intent lives; null when there is none of that name. */
  async find({ program, memberId, seq }: IntentName): Promise<IdentityPlace | null> {
    return (
      (await this.database.execute<IdentityPlace>(findIntentPlaceStatement, [program, memberId, seq])).rows[0] ?? null
    );
  }

  /**
   * Performs an operator's action on one intent and stores its audit entry, in one transaction. What returned as done
   * holds: an attempt that would begin on what was known before is refused (`revision`). Asking again after a lost answer
   * is refused by what the intent has become, never done twice.
   */
  async act(request: ActionRequest): Promise<ActionResult> {
    return this.actAlongside(request, auditAction(request));
  }

  /** The same as a part of something larger, which stores its own audit entry. */
  async actAlongside(request: ActionRequest, alongside: Alongside): Promise<ActionResult> {
    return this.database.transaction('act_on_intent', async (session) => {
      const result = await act(session, request, this.keys);
      await alongside(session, result);
      return result;
    });
  }

  /**
   * Gives an intent another content, with its audit entry, in one transaction: what was recorded stays as it was, and what
   * is sent from now on is the new content. An attempt that would begin on the old one is refused (`revision`).
   */
  async correct(request: CorrectionRequest): Promise<CorrectionResult> {
    return this.database.transaction('correct_intent', (session) => correct(session, request, this.keys));
  }

  /** The same as a part of something larger, and sent where that is wanted: all of it, or nothing. */
  async correctAlongside(
    request: CorrectionRequest,
    alongside: (session: SqlSession, result: CorrectionResult) => Promise<void>,
  ): Promise<CorrectionResult> {
    try {
      return await this.database.transaction('correct_intent', async (session) => {
        const result = await correctAndSend(session, request, this.keys);
        await alongside(session, result);
        return result;
      });
    } catch (error) {
      if (!(error instanceof NotSentError)) throw error;
      const refused = { kind: 'refused', reason: error.reason } as const;
      await this.database.transaction('refuse_correction', (session) => alongside(session, refused));
      return refused;
    }
  }

  /**
   * Settles what these answers prove, each with its audit entry. An intent that has moved since it was read stays as it
   * is: asking again changes nothing.
   * @returns those that were settled
   */
  async settleReread(session: SqlSession, { proven, job, audit, sendsKept }: RereadAnswers): Promise<ProvenAnswer[]> {
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
        await appendByOthers(session, { laneId, seq, event, evidence, settles: true }, this.keys);
      }
      await releaseEnrolled(session, { place: answer, now: audit.at, sendsKept: () => sendsKept }, this.keys);
      const [place, detail] = [
        { laneId, seq },
        { job, attempt },
      ];
      await recordAction(session, { audit, action: 'reread.settle', place, detail });
      settled.push(answer);
    }
    return settled;
  }
}
