import type { Program } from '#contracts';
import type {
  DeliveryPolicy,
  IntentCommand,
  IntentEvent,
  IntentHistory,
  IntentState,
  PartnerCommand,
  PassBefore,
  PassNaming,
  PurchaseStatus,
  UnknownIntent,
} from '#intents/core';
import {
  decide,
  groupOf,
  isDrained,
  isSettled,
  nextPurchaseCheckAt,
  policyOf,
  readsBefore,
  resolutionStep,
  touchesPass,
} from '#intents/core';
import type { ClaimedIntent, LaneCompletion } from '#intents';
import { deferredUntil } from '#intents';

import type { LaneWork } from './lane-work.js';
import { comeBack, completionOf, currentIntent, stateOf, stepOver } from './lane-work.js';
import type { ProgramPauses } from '../gate/program-pauses.js';
import type { LookupPurpose } from './messages.js';

/** What to do next with a lane in our hands. */
export type LaneAction =
  /** Nothing loaded to work on: release the lane. */
  | { readonly kind: 'release' }
  /** Record something about the current intent without calling the partner. */
  | { readonly kind: 'record'; readonly completion: LaneCompletion; readonly isLostAttempt: boolean }
  /** Ask the partner for the member's pass; `confirmsAbsence`: and, where there is none, for the listing. */
  | { readonly kind: 'lookup'; readonly purpose: LookupPurpose; readonly confirmsAbsence: boolean }
  /** Begin an attempt; `preceding` is appended first, in the same statement. */
  | {
      readonly kind: 'begin';
      readonly seq: number;
      readonly attempt: number;
      readonly before: PassBefore | null;
      readonly preceding: LaneCompletion | null;
    };

interface ActionContext {
  readonly program: Program;
  readonly naming: PassNaming;
  readonly now: number;
  /** Uniform in [0, 1). */
  readonly chance: number;
}

/** The lane's current intent with what decides about it. */
interface Current {
  readonly work: LaneWork;
  readonly intent: ClaimedIntent;
  readonly policy: DeliveryPolicy;
  readonly naming: PassNaming;
  readonly now: number;
  readonly chance: number;
}

/** Decides on the lane's current intent. Pure. */
export function nextAction(work: LaneWork, { program, naming, now, chance }: ActionContext): LaneAction {
  const intent = currentIntent(work);
  if (isDrained(work.cursor) || intent === undefined) return { kind: 'release' };
  const current = { work, intent, policy: policyOf(program, intent), naming, now, chance };
  const state = stateOf(work, intent.seq);
  if (work.attemptOpen) return recordLostAttempt(current);
  if (isSettled(state)) return record(stepOver);
  if (intent.command === null) return endWithoutCall(current);
  if (state.status === 'unknown') return resolve(current, state);
  return settleLate(current) ?? awaitPurchase(current) ?? send(current);
}

function record(completion: LaneCompletion): LaneAction {
  return { kind: 'record', completion, isLostAttempt: false };
}

function recordLostAttempt({ work, intent, policy: own, now, chance }: Current): LaneAction {
  // Erased meanwhile: it must not hold up the opt-out that goes with it.
  const policy = intent.command === null ? { ...own, onPark: 'continue' as const } : own;
  const state = stateOf(work, intent.seq);
  const endedBy = endOfLostHistory(work, intent);
  const lost = { type: 'RecordLostAttempt', at: now, policy, chance } as const;
  const decision = decide(state, endedBy === null ? lost : { ...lost, endedBy });
  if (decision.kind === 'ignored' && isSettled(state)) return record(stepOver);
  // A history that does not show the open attempt is beyond our understanding: a person must look, nothing is skipped.
  const park = { type: 'IntentParked', at: now, reason: 'unknown-outcome', lane: policy.onPark } as const;
  const events = decision.kind === 'events' ? decision.events : [park];
  return { kind: 'record', completion: completionOf(intent.seq, events, null), isLostAttempt: true };
}

/** Null unless the open attempt was begun before the database was restored. */
function endOfLostHistory({ lane }: LaneWork, { forgottenBefore }: ClaimedIntent): number | null {
  if (forgottenBefore === undefined) return null;
  return (lane.openSince ?? -Infinity) < forgottenBefore ? forgottenBefore : null;
}

/**
 * What was recorded without a call takes back what was under way then: where that was not applied nothing is left to do,
 * else a person must look. Whatever else has no command any more was erased.
 */
function endWithoutCall(current: Current): LaneAction {
  const { work, intent, now } = current;
  const isForPerson = intent.makesNoCall === true;
  const purchase = purchaseStatus(work, intent);
  const waiting = isForPerson && purchase !== 'parked' ? awaitPurchase(current) : null;
  const reason = isForPerson ? 'unroutable' : 'erased';
  const event = { type: 'IntentParked', at: now, reason, lane: 'continue' } as const;
  return waiting ?? record(completionOf(intent.seq, [event], null));
}

/** An attempt's outcome is unknown: look for evidence, send again where that is allowed, or let a person decide. */
function resolve(current: Current, state: UnknownIntent): LaneAction {
  const { intent, policy, now, chance } = current;
  const step = resolutionStep(state, policy, now);
  switch (step.kind) {
    case 'wait':
      return record(comeBack('retry', step.until));
    case 'look-up':
      return { kind: 'lookup', purpose: 'resolve', confirmsAbsence: step.provesAbsence };
    case 'read':
      return { kind: 'lookup', purpose: 'resolve', confirmsAbsence: false };
    case 'resend':
    case 'settle':
    case 'park': {
      const events = eventsOf(current, { type: 'ResolveUnknown', at: now, policy, chance });
      const completion = completionOf(intent.seq, events, null);
      return step.kind === 'resend' ? begin(current, completion) : record(completion);
    }
  }
}

/**
 * An earlier attempt was applied, as its worker reported late, or it was voided meanwhile: nothing is waited for or sent any
 * more. What a lost history may have sent of the latter is in doubt first.
 */
function settleLate(current: Current): LaneAction | null {
  const state = stateOf(current.work, current.intent.seq);
  if (state.status === 'absent') return null;
  if (state.lateApplied !== null) return reconsiderUnknown(current);
  return state.cancelRequest === null ? null : (forget(current) ?? reconsiderUnknown(current));
}

/** A refund waits for its purchase; null when there is none to wait for. */
function awaitPurchase(current: Current): LaneAction | null {
  const { work, intent, policy, now, chance } = current;
  const purchase = purchaseStatus(work, intent);
  if (purchase === null || purchase === 'delivered') return null;
  const takesBack = intent.takesBack === true;
  const place = intent.waitsFor?.place ?? null;
  const events = eventsOf(current, { type: 'AwaitPurchase', at: now, purchase, place, takesBack, policy, chance });
  if (events.length > 0) return record(endForgotten(current, events) ?? completionOf(intent.seq, events, null));
  const state = stateOf(work, intent.seq);
  return record(comeBack('await', nextPurchaseCheckAt(state, { at: now, purchase, policy, chance })));
}

/**
 * What waited in vain may have been sent by a lost history all the same: that ends in doubt, and is not sent again, for what it
 * goes after, or its pass, is not there. Null where it goes on waiting, or no lost history can have sent it.
 */
export function endForgotten(current: Forgettable, events: readonly IntentEvent[]): LaneCompletion | null {
  const last = events.findLast(({ type }) => type === 'IntentParked' || type === 'IntentCancelled');
  if (last === undefined || current.intent.command === null) return null;
  const onPark = last.type === 'IntentParked' ? last.lane : 'continue';
  return forgottenDoubt({ ...current, policy: { ...current.policy, resolution: 'park', onPark } });
}

/** As far as we have moved the purchase ourselves under this lease, else as it was when the lane was claimed. */
function purchaseStatus(work: LaneWork, { waitsFor }: ClaimedIntent): PurchaseStatus | null {
  if (waitsFor === null) return null;
  const { place } = waitsFor;
  const status = place?.laneId === work.lane.laneId ? stateOf(work, place.seq).status : 'absent';
  if (status === 'absent') return waitsFor.status;
  if (status === 'delivered') return 'delivered';
  if (status === 'cancelled') return 'gone';
  if (waitsFor.status === 'behind') return 'behind';
  return status === 'parked' ? 'parked' : 'open';
}

function send(current: Current): LaneAction {
  const { work, intent, policy, now } = current;
  if (touchesPass(intent.operation) && work.pass !== 'known' && !work.isPassAsked) {
    return { kind: 'lookup', purpose: 'pass', confirmsAbsence: isLeaving(current) };
  }
  if (isUnnamed(current)) return { kind: 'lookup', purpose: 'name', confirmsAbsence: false };
  const reconsidered = reconsider(current);
  if (reconsidered !== null) return reconsidered;
  if (mayHavePass(work, intent)) {
    return { kind: 'lookup', purpose: 'issue', confirmsAbsence: hadPass(stateOf(work, intent.seq)) };
  }
  if (readsBefore(policy.resolution) && work.before === null) {
    return { kind: 'lookup', purpose: 'before', confirmsAbsence: false };
  }
  const released = eventsOf(current, { type: 'ReleaseIntent', at: now });
  return begin(current, released.length === 0 ? null : completionOf(intent.seq, released, null));
}

/** Whether the call is to name the pass as the partner does, and that has not been shown. */
function isUnnamed({ work, intent, naming }: Current): boolean {
  const { operation } = intent;
  if (operation !== 'transaction' && operation !== 'reward') return false;
  const part = naming[operation];
  return part !== 'unique_id' && work.named?.[part] === undefined && !work.isNameAsked;
}

/** What was decided on is not sent as if nothing had become known since; null where nothing has. */
function reconsider(current: Current): LaneAction | null {
  return reconsiderUnknown(current) ?? forget(current);
}

/** What came late of an attempt in doubt may have settled or forbidden what was decided on; null where it has not. */
function reconsiderUnknown(current: Current): LaneAction | null {
  const { intent, policy, now, chance } = current;
  const events = eventsOf(current, { type: 'ResolveUnknown', at: now, policy, chance });
  return events.length === 0 ? null : record(completionOf(intent.seq, events, null));
}

/**
 * What a lost history may have sent already is not sent as if nothing had been: once, and before its next attempt. Null
 * where there is no such history, or it has been taken into account.
 */
function forget(current: Current): LaneAction | null {
  const doubt = forgottenDoubt(current);
  return doubt === null ? null : record(doubt);
}

type Forgettable = Pick<Current, 'work' | 'intent' | 'policy' | 'now'>;

function forgottenDoubt(current: Forgettable): LaneCompletion | null {
  const { work, intent, policy, now } = current;
  const endedBy = intent.forgottenBefore;
  const state = stateOf(work, intent.seq);
  if (endedBy === undefined || state.status === 'absent') return null;
  if (state.forgottenAt !== null && state.forgottenAt >= endedBy) return null;
  const events = eventsOf(current, { type: 'RecordForgotten', at: now, endedBy, policy });
  const { recordedAt, brokerAt: producedAt } = intent;
  const evidence = JSON.stringify({ recovery: { forgottenBefore: endedBy, recordedAt, producedAt } });
  return completionOf(intent.seq, events, evidence);
}

function begin({ work, intent }: Current, preceding: LaneCompletion | null): LaneAction {
  const state = stateOf(work, intent.seq);
  const attempts = state.status === 'absent' ? 0 : state.attempts;
  return { kind: 'begin', seq: intent.seq, attempt: attempts + 1, before: work.before, preceding };
}

function eventsOf({ work, intent }: Forgettable, command: IntentCommand): Parameters<typeof completionOf>[1] {
  const decision = decide(stateOf(work, intent.seq), command);
  return decision.kind === 'events' ? decision.events : [];
}

/**
 * Whether its member leaves the program, or is erased with it: without a pass it has no addressee, and need not wait for one.
 * An opt-out of messages or of the wallet alone has to hold for a pass that comes later. What may have been sent is in doubt.
 */
export function isLeaving({ work, intent }: Pick<Current, 'work' | 'intent'>): boolean {
  if (intent.optsOut !== true || intent.forgottenBefore !== undefined) return false;
  const state = stateOf(work, intent.seq);
  const isFresh = state.status !== 'absent' && !state.hadUnknown;
  return isFresh && (intent.isErasing === true || endsMembership(intent.command));
}

/**
 * Whether an enrolment is of a member who may have a pass: the partner is asked for it first, for no document of its says
 * that it refuses a second one. So it is where a person or a reconciliation has put it back, perhaps long ago. Not after a try
 * that was turned away, for the answer stands.
 */
function mayHavePass(work: LaneWork, intent: ClaimedIntent): boolean {
  if (groupOf(intent.operation) !== 'issue' || work.isPassAsked) return false;
  const state = stateOf(work, intent.seq);
  const isFresh = state.status === 'pending' && (state.attempts === 0 || state.isReplay);
  if (!isFresh) return false;
  return work.pass === 'known' || intent.followsEnrolment === true || isPutBack(state);
}

/** Whether it has issued a pass that is said to be gone: none is issued in its place unless lookup and count deny it. */
export function hadPass(state: IntentState): boolean {
  return state.status !== 'absent' && state.appliedAt !== null;
}

/** And not turned away since: the answer stands. */
function isPutBack({ isReplay, answeredTries }: IntentHistory): boolean {
  return isReplay && answeredTries === 0;
}

function endsMembership(command: PartnerCommand | null): boolean {
  if (command === null || !('content' in command)) return false;
  const { smsSubscription, passdata } = command.content;
  return smsSubscription === 900 && passdata?.['optOut'] === true;
}

/** While its operation is paused a lane waits where it costs nothing; nothing has happened to it. */
export function deferWhilePaused(pauses: ProgramPauses, work: LaneWork): LaneAction | null {
  const operation = currentIntent(work)?.operation;
  if (operation === undefined || !pauses.isOperationPaused(operation)) return null;
  return { kind: 'record', completion: comeBack('retry', deferredUntil(operation)), isLostAttempt: false };
}
