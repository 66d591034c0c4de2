import type { IdentityPlace } from '../identity/judge-identities.js';
import { nextPurchaseCheckAt } from '../intent/decide-waiting.js';
import { decide } from '../intent/decide.js';
import type { HeldBy, IntentCommand, PurchaseStatus } from '../intent/intent-command.js';
import type { IntentEvent, PassBefore } from '../intent/intent-event.js';
import {
  type IntentHistory,
  type IntentState,
  type UnknownIntent,
  isSettled,
  isUntouched,
} from '../intent/intent-state.js';
import type { KnownPass } from '../intent/transitions.js';
import { type Operation, groupOf, needsPass, touchesPass } from '../operation.js';
import { type PartnerCommand, type PassName, type PassNaming, isExpired } from '../owed/partner-command.js';
import { type DeliveryPolicy, readsBefore, resolutionStep } from '../resolution/resolution.js';
import type { WalletPass } from '#contracts';
import type { AttemptOutcome } from '../delivery/classify-outcome.js';

/** What is recorded of an intent and its lane that decides what is sent for it. Times in epoch ms. */
export interface OwedIntent {
  readonly operation: Operation;
  /** Null: it was recorded without one, or it is erased. */
  readonly command: PartnerCommand | null;
  readonly recordedAt: number;
  /** Broker timestamp of the source record: start of the delivery latency. */
  readonly brokerAt: number;
  /**
   * The purchase that a refund follows, and how far it was when the lane was claimed; null when it waits for none. `place`
   * is null for one that was never recorded.
   */
  readonly waitsFor: { readonly place: IdentityPlace | null; readonly status: PurchaseStatus } | null;
  /** Set for what a void or revocation sends that came too late: it takes back what it waits for. Absent otherwise. */
  readonly takesBack?: true;
  /** Set for a reward: where it names its purchase, it goes with that. Absent otherwise. */
  readonly isGrant?: true;
  /** Set for a sale that something has waited for before it came. Absent otherwise. */
  readonly isAwaited?: true;
  /** Of a reward: a sale before it in its lane that stepped aside for a hold, when the lane was claimed. Absent: none. */
  readonly heldSale?: IdentityPlace;
  /** It was recorded without a command, and never corrected: an operator must look at it, if anybody. Absent otherwise. */
  readonly makesNoCall?: true;
  /** The type of its event, with its version; absent in tests. */
  readonly eventType?: string;
  /** Where it happened, as the event says; absent where it does not. In the clear. */
  readonly storeId?: string;
  /** The CloudEvents source of its event; absent where that is not known. In the clear. */
  readonly source?: string;
  /**
   * How long before the pass was read for the attempt in doubt another call of the lane had ended, ms: the partner may
   * not have shown its effect yet. Below 0 where one ended since, or a scheduled change may still come. Absent where
   * nothing was read, or nothing else was called.
   */
  readonly quietPeriodMs?: number;
  /**
   * The start of a recovery: a history that ended before it and is lost may have sent this intent. Absent where there was
   * none (docs/restore.md).
   */
  readonly forgottenBefore?: number;
  /** Set for what changes a pass that the lane does not know, with no earlier enrolment that may have made one. Absent otherwise. */
  readonly neverEnrolled?: true;
  /** Set for an opt-out. Absent otherwise. */
  readonly optsOut?: true;
  /** Set where its member is erased once it is settled. Absent otherwise. */
  readonly isErasing?: true;
  /** Set for an enrolment with an earlier one in the lane that may have created a pass. Absent otherwise. */
  readonly followsEnrolment?: true;
  /**
   * Set where the command was planned anew by the programs file of now, and that is not recorded yet: JSON, kept sealed with what
   * records it. Absent otherwise.
   */
  readonly plannedAnew?: string;
}

/** What is known about the pass while its lane is claimed: by the lane's row, and by lookups since. */
export interface KnownOfPass {
  readonly pass: KnownPass;
  /** What the partner calls the pass; null where it has not shown it. */
  readonly named: PassName | null;
  /** The partner was asked what it calls the pass: where it has not answered with that, it is not asked again. */
  readonly isNameAsked: boolean;
  /** The partner was asked for the pass of the current intent, which is to be sent: it is not asked about twice. */
  readonly isPassAsked: boolean;
  /** What the pass showed just now, for the attempt that comes next; null when it was not asked for. */
  readonly before: PassBefore | null;
}

/** The current intent of a claimed lane, with all that decides about its next step. */
export interface Sending {
  readonly intent: OwedIntent;
  readonly state: IntentState;
  /** The state of the purchase that it waits for, where that lies in the same lane; `absent` otherwise. */
  readonly purchase: IntentState;
  /** A sale before it in its lane that stepped aside for a hold; null: none, or that makes no difference to it. */
  readonly heldSale: IdentityPlace | null;
  readonly known: KnownOfPass;
  /** A worker before us began this attempt and recorded no outcome. */
  readonly attemptOpen: boolean;
  /** When that attempt began, epoch ms; null where none is open, or that is not known. */
  readonly openSince: number | null;
  readonly policy: DeliveryPolicy;
  readonly naming: PassNaming;
  /** Epoch ms. */
  readonly now: number;
}

/** Facts to append about the current intent. */
export interface RecordStep {
  readonly kind: 'record';
  readonly events: readonly IntentEvent[];
  /** JSON that is kept, sealed, with the first of them; null: there is none. Personal values. */
  readonly evidence: string | null;
}

/** Nothing has happened: the lane comes back to the intent later. */
export interface ComeBackStep {
  readonly kind: 'come-back';
  /** `retry`: to try again. `wait`: still without a pass. `await`: still without the purchase. */
  readonly as: 'retry' | 'wait' | 'await';
  /** Epoch ms. */
  readonly dueAt: number;
}

/**
 * Why the member's pass is looked up.
 * - `pass`: whether there is one at all.
 * - `name`: what the partner calls it, where calls are to name it so.
 * - `issue`: so that no second one is issued.
 * - `before`: what it shows right before an attempt, for a probe.
 * - `resolve`: evidence about an attempt whose outcome is unknown.
 */
export type LookupPurpose = 'pass' | 'name' | 'issue' | 'before' | 'resolve';

/** What to do next for the current intent of a claimed lane. */
export type NextStep =
  /** It is settled already. */
  | { readonly kind: 'step-over' }
  /** Record something about it without a call. */
  | RecordStep
  /** An attempt whose worker was lost: record what that leaves in doubt. */
  | { readonly kind: 'record-lost'; readonly events: readonly IntentEvent[] }
  | ComeBackStep
  /** Look the pass up; `confirmsAbsence`: and, where none is found, ask how many the listing counts. */
  | { readonly kind: 'look-up'; readonly purpose: LookupPurpose; readonly confirmsAbsence: boolean }
  /** Begin an attempt; `preceding` is appended first, in the same statement, and `evidence`, sealed, with the first of it. */
  | {
      readonly kind: 'begin';
      readonly attempt: number;
      readonly before: PassBefore | null;
      readonly preceding: readonly IntentEvent[];
      readonly evidence: string | null;
    };

/** A step is being decided on. */
interface Deciding extends Sending {
  readonly chance: number;
}

/**
 * Decides what is done next for an intent: nothing is called, begun or waited for without it. Pure.
 * @param chance uniform in [0, 1)
 */
export function nextStep(sending: Sending, chance: number): NextStep {
  const { state, intent, attemptOpen } = sending;
  const deciding = { ...sending, chance };
  if (attemptOpen) return afterLostAttempt(deciding);
  if (isSettled(state)) return { kind: 'step-over' };
  if (intent.command === null) return endWithoutCall(deciding);
  if (state.status === 'unknown') return resolve(deciding, state);
  return (
    settleLate(deciding) ?? expire(deciding) ?? awaitPurchase(deciding) ?? awaitHeldSale(deciding) ?? send(deciding)
  );
}

function afterLostAttempt({ intent, state, policy: own, openSince, now, chance }: Deciding): NextStep {
  // Erased meanwhile: it must not hold up the opt-out of the same member.
  const policy = intent.command === null ? { ...own, onPark: 'continue' as const } : own;
  const endedBy = endOfLostHistory(intent, openSince);
  const lost = { type: 'RecordLostAttempt', at: now, policy, chance } as const;
  const decision = decide(state, endedBy === null ? lost : { ...lost, endedBy });
  if (decision.kind === 'ignored' && isSettled(state)) return { kind: 'step-over' };
  // A history that does not show the open attempt is beyond our understanding: an operator must look, nothing is skipped.
  const park = { type: 'IntentParked', at: now, reason: 'unknown-outcome', lane: policy.onPark } as const;
  return { kind: 'record-lost', events: decision.kind === 'events' ? decision.events : [park] };
}

/** Null unless the open attempt was begun before the database was restored. */
function endOfLostHistory({ forgottenBefore }: OwedIntent, openSince: number | null): number | null {
  if (forgottenBefore === undefined) return null;
  return (openSince ?? -Infinity) < forgottenBefore ? forgottenBefore : null;
}

/**
 * What was recorded without a call takes back what was under way then: where that was not applied nothing is left to do,
 * else an operator must look. Any other intent without a command was erased.
 */
function endWithoutCall(deciding: Deciding): NextStep {
  const { intent, now } = deciding;
  const isForOperator = intent.makesNoCall === true;
  const waiting = isForOperator && purchaseStatus(deciding) !== 'parked' ? awaitPurchase(deciding) : null;
  const reason = isForOperator ? 'unroutable' : 'erased';
  return waiting ?? record([{ type: 'IntentParked', at: now, reason, lane: 'continue' }]);
}

/** An attempt's outcome is unknown: look for evidence, send again where that is allowed, or let an operator decide. */
function resolve(deciding: Deciding, state: UnknownIntent): NextStep {
  const { policy, now, chance } = deciding;
  const step = resolutionStep(state, policy, now);
  switch (step.kind) {
    case 'wait':
      return comeBackAt('retry', step.until);
    case 'look-up':
      return { kind: 'look-up', purpose: 'resolve', confirmsAbsence: step.provesAbsence };
    case 'read':
      return { kind: 'look-up', purpose: 'resolve', confirmsAbsence: false };
    case 'resend':
    case 'settle':
    case 'park': {
      if (step.kind === 'resend' && isOver(deciding.intent, now)) {
        return record(eventsOf(deciding, { type: 'ExpireIntent', at: now, policy }));
      }
      const events = eventsOf(deciding, { type: 'ResolveUnknown', at: now, policy, chance });
      return step.kind === 'resend' ? begin(deciding, events) : record(events);
    }
  }
}

/**
 * An earlier attempt was applied, as its worker reported late, or it was voided meanwhile: nothing is waited for or sent any
 * more. What a lost history may have sent of the latter is in doubt first.
 */
function settleLate(deciding: Deciding): NextStep | null {
  const { state } = deciding;
  if (state.status === 'absent') return null;
  if (state.lateApplied !== null) return reconsiderUnknown(deciding);
  return state.cancelRequest === null ? null : (forgottenDoubt(deciding) ?? reconsiderUnknown(deciding));
}

/** Null where it is good for ever, or still. What a lost history may have sent in time is in doubt first. */
function expire(deciding: Deciding): NextStep | null {
  const { intent, now, policy } = deciding;
  if (!isOver(intent, now)) return null;
  return forgottenDoubt(deciding) ?? record(eventsOf(deciding, { type: 'ExpireIntent', at: now, policy }));
}

const isOver = ({ command }: OwedIntent, now: number): boolean => command !== null && isExpired(command, now);

/** A refund waits for its purchase; null when there is none to wait for. */
function awaitPurchase(deciding: Deciding): NextStep | null {
  const { intent, state, policy, now, chance } = deciding;
  const purchase = purchaseStatus(deciding);
  if (purchase === null || purchase === 'delivered') return null;
  if (purchase === 'unknown' && isPostedAlone(deciding)) return null;
  const goes = { takesBack: intent.takesBack === true, isGrant: intent.isGrant === true };
  const place = intent.waitsFor?.place ?? null;
  const events = eventsOf(deciding, { type: 'AwaitPurchase', at: now, purchase, place, ...goes, policy, chance });
  if (events.length > 0) return doubtInsteadOf(events, deciding) ?? record(events, whyTakenBack(purchase));
  return comeBackAt('await', nextPurchaseCheckAt(state, { at: now, purchase, policy, chance }));
}

const takenBack = JSON.stringify({ detail: 'the sale that it names was taken back' });

const whyTakenBack = (purchase: PurchaseStatus): string | null => (purchase === 'taken-back' ? takenBack : null);

/** Who cannot step aside looks again at the latest after this time; the sale that comes back goes before it in any case. */
const heldSaleRecheckMs = 600_000;

/** What spends points goes after the sales that bring them. */
function awaitHeldSale(deciding: Deciding): NextStep | null {
  const { heldSale, policy, now } = deciding;
  if (heldSale === null || !policy.spendsPoints) return null;
  const aside = stepAside(deciding, { awaits: heldSale }) ?? forgottenDoubt(deciding);
  return aside ?? comeBackAt('retry', now + heldSaleRecheckMs);
}

/** The step by which an intent lets the member's other work pass; null: nothing of its lane passes it. */
export function stepAside(sending: Sending, behind: HeldBy): RecordStep | null {
  const { intent, policy, now } = sending;
  // What a lost history may have sent is in doubt; what changes the pass, or consent, is never passed.
  if (!needsPass(intent.operation) || intent.forgottenBefore !== undefined) return null;
  const events = eventsOf(sending, { type: 'StepAside', at: now, policy, behind });
  return events.length === 0 ? null : record(events);
}

/**
 * A refund that has waited for a purchase that nobody knows, where the program says so. What takes back a whole sale, or is given
 * for one, would stand without it; a refund has an amount of its own.
 */
function isPostedAlone({ intent, policy, now }: Sending): boolean {
  if (!policy.postsUnknownRefunds || intent.takesBack === true || intent.isGrant === true) return false;
  return now >= intent.recordedAt + policy.missingPurchaseWaitMs;
}

/** As far as the purchase was moved under this lease, else as it was when the lane was claimed; null: none is waited for. */
function purchaseStatus({ intent, purchase }: Sending): PurchaseStatus | null {
  if (intent.waitsFor === null) return null;
  const { status: atClaim } = intent.waitsFor;
  const { status } = purchase;
  if (status === 'absent' || atClaim === 'taken-back') return atClaim;
  if (status === 'delivered') return 'delivered';
  if (status === 'cancelled') return 'gone';
  if (atClaim === 'behind') return 'behind';
  if (purchase.status !== 'parked') return 'open';
  return purchase.reason === 'held' ? 'held' : 'parked';
}

function send(deciding: Deciding): NextStep {
  const { intent, state, known, policy, now } = deciding;
  if (touchesPass(intent.operation) && known.pass !== 'known' && !known.isPassAsked) {
    return { kind: 'look-up', purpose: 'pass', confirmsAbsence: isLeaving(deciding) };
  }
  if (isUnnamed(deciding)) return { kind: 'look-up', purpose: 'name', confirmsAbsence: false };
  const reconsidered = reconsiderUnknown(deciding) ?? forgottenDoubt(deciding);
  if (reconsidered !== null) return reconsidered;
  if (mayHavePass(deciding)) return { kind: 'look-up', purpose: 'issue', confirmsAbsence: hadPass(state) };
  if (readsBefore(policy.resolution) && known.before === null) {
    return { kind: 'look-up', purpose: 'before', confirmsAbsence: false };
  }
  return begin(deciding, eventsOf(deciding, { type: 'ReleaseIntent', at: now }));
}

/** By whom, and why, an intent has another command than it was recorded with, where no person has said so. */
export const plannedAnewBy = { by: 'loyaltyd', reason: 'programs-file' } as const;

/** Before what was planned anew is sent the first time: from then on it stays so, whatever the programs file says. */
function planning({ intent, state, now: at }: Sending): readonly IntentEvent[] {
  if (intent.plannedAnew === undefined || !isUntouched(state)) return [];
  return [{ type: 'IntentCorrected', at, ...plannedAnewBy }];
}

/** Whether the call is to name the pass as the partner does, and that has not been shown. */
function isUnnamed({ intent, known, naming }: Sending): boolean {
  const { [intent.operation]: part = 'unique_id' } = naming;
  return part !== 'unique_id' && known.named?.[part] === undefined && !known.isNameAsked;
}

/** What came late of an attempt in doubt may have settled or forbidden what was decided on; null where it has not. */
function reconsiderUnknown(deciding: Deciding): RecordStep | null {
  const { policy, now, chance } = deciding;
  const events = eventsOf(deciding, { type: 'ResolveUnknown', at: now, policy, chance });
  return events.length === 0 ? null : record(events);
}

/**
 * Whether an enrolment is of a member who may have a pass: the partner is asked for it first, for no document of the partner
 * promises that it refuses a second one. The same where an operator or a reconciliation has requeued it, perhaps long ago. Not
 * after a try that was turned away, for that answer stands.
 */
function mayHavePass({ intent, state, known }: Sending): boolean {
  if (groupOf(intent.operation) !== 'issue' || known.isPassAsked) return false;
  const isFresh = state.status === 'pending' && (state.attempts === 0 || state.isReplay);
  if (!isFresh) return false;
  return known.pass === 'known' || intent.followsEnrolment === true || isRequeued(state);
}

/** And not turned away since: the answer stands. */
function isRequeued({ isReplay, answeredTries }: IntentHistory): boolean {
  return isReplay && answeredTries === 0;
}

function begin(sending: Sending, events: readonly IntentEvent[]): NextStep {
  const { intent, state, known } = sending;
  const attempts = state.status === 'absent' ? 0 : state.attempts;
  const planned = planning(sending);
  const evidence = planned.length === 0 ? null : (intent.plannedAnew ?? null);
  return { kind: 'begin', attempt: attempts + 1, before: known.before, preceding: [...planned, ...events], evidence };
}

export function record(events: readonly IntentEvent[], evidence: string | null = null): RecordStep {
  return { kind: 'record', events, evidence };
}

export function comeBackAt(as: ComeBackStep['as'], dueAt: number): ComeBackStep {
  return { kind: 'come-back', as, dueAt };
}

/** What a command means for the intent now; empty where it changes nothing. */
export function eventsOf({ state }: Pick<Sending, 'state'>, command: IntentCommand): readonly IntentEvent[] {
  const decision = decide(state, command);
  return decision.kind === 'events' ? decision.events : [];
}

/**
 * Whether its member leaves the program, or is erased: without a pass it has no addressee, and need not wait for one. An
 * opt-out of messages or of the wallet alone has to hold for a pass that comes later. What may have been sent is in doubt.
 */
export function isLeaving({ intent, state }: Pick<Sending, 'intent' | 'state'>): boolean {
  if (intent.optsOut !== true || intent.forgottenBefore !== undefined) return false;
  const isFresh = state.status !== 'absent' && !state.hadUnknown;
  return isFresh && (intent.isErasing === true || endsMembership(intent.command));
}

function endsMembership(command: PartnerCommand | null): boolean {
  if (command === null || !('content' in command)) return false;
  const { smsSubscription, passdata } = command.content;
  return smsSubscription === 900 && passdata?.['optOut'] === true;
}

/** Whether it has issued a pass that is reported gone: none is issued in its place unless lookup and count deny it. */
export function hadPass(state: IntentState): boolean {
  return state.status !== 'absent' && state.appliedAt !== null;
}

type Forgettable = Pick<Sending, 'intent' | 'state' | 'policy' | 'now'>;

/**
 * What a lost history may have sent already is not sent as if nothing had been: it is in doubt, once, and before its next
 * attempt. Null where there is no such history, or it has been taken into account.
 */
export function forgottenDoubt({ intent, state, policy, now }: Forgettable): RecordStep | null {
  const { forgottenBefore: endedBy, recordedAt, brokerAt: producedAt } = intent;
  if (endedBy === undefined || state.status === 'absent') return null;
  if (state.forgottenAt !== null && state.forgottenAt >= endedBy) return null;
  const events = eventsOf({ state }, { type: 'RecordForgotten', at: now, endedBy, policy });
  return record(events, JSON.stringify({ recovery: { forgottenBefore: endedBy, recordedAt, producedAt } }));
}

/**
 * What waited in vain may have been sent by a lost history all the same: that ends in doubt, and is not sent again, for the
 * purchase or the pass that it needs is missing. Null where it waits on, or no lost history can have sent it.
 * @param events what would end it
 */
export function doubtInsteadOf(events: readonly IntentEvent[], sending: Forgettable): RecordStep | null {
  const last = events.findLast(({ type }) => type === 'IntentParked' || type === 'IntentCancelled');
  if (last === undefined || sending.intent.command === null) return null;
  const onPark = last.type === 'IntentParked' ? last.lane : 'continue';
  return forgottenDoubt({ ...sending, policy: { ...sending.policy, resolution: 'park', onPark } });
}

/** How an attempt came out. */
interface Answer {
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
  /** It shows the member's pass, and that this is no card any more by its status. Absent: it does not. */
  readonly showsDeadPass?: boolean;
}

/**
 * What an attempt's outcome means for its intent. Pure.
 * @param chance uniform in [0, 1)
 */
export function decideAnswer(sending: Sending, answer: Answer, chance: number): readonly IntentEvent[] {
  const { state, policy, now } = sending;
  const { attempt, outcome, showsDeadPass = false } = answer;
  const decision = decide(state, { type: 'RecordOutcome', at: now, attempt, outcome, policy, chance });
  if (decision.kind === 'ignored') throw new Error(`an attempt's outcome was ignored: ${decision.reason}`);
  // It took effect, on what is no card any more: nothing else goes there.
  const isOnDeadPass = showsDeadPass && outcome.kind === 'applied';
  return isOnDeadPass ? [...decision.events, { type: 'PassAbsent', at: now }] : decision.events;
}

/**
 * What an answer shows about the configuration of its operation; null: nothing. A refusal shows that something is broken only
 * where the intent ends by it: a duplicate may prove that an earlier attempt was applied, or that the pass must be looked up.
 * After a crash there are as many of these in a row as calls were open.
 * @param events what the outcome means for the intent
 */
export function meaningForAll(outcome: AttemptOutcome, events: readonly IntentEvent[]): AttemptOutcome | null {
  if (outcome.kind !== 'rejected') return outcome;
  if (events.some(({ type }) => type === 'VerifiedApplied')) return { kind: 'applied' };
  if (!events.some(({ type }) => type === 'IntentParked')) return null;
  // The history may show what the refusal means: of a pass that was found it is no lack.
  const as = events.find(({ type }) => type === 'AttemptRejected');
  return as?.type === 'AttemptRejected' ? { ...outcome, code: as.code } : outcome;
}

/**
 * A refusal that meets one member after the other, taken as if the partner had not been asked: the intent comes back when the
 * pause of its operation is lifted, and no try is used up. Null for what may have taken effect, for nothing of that is requeued:
 * an earlier attempt in doubt, or this one, answered with a yes that proves nothing.
 */
export function requeuedOutcome({ state }: Pick<Sending, 'state'>, outcome: AttemptOutcome): AttemptOutcome | null {
  if (outcome.kind !== 'rejected' || (state.status !== 'absent' && state.hadUnknown)) return null;
  return { kind: 'not-applied', code: outcome.code, answered: false, systemic: true, retryAfterMs: null };
}

/** The pass that an enrolment was answered with; null for every other answer. */
export function passAnswered(
  { operation }: Pick<Sending['intent'], 'operation'>,
  { outcome, value }: { readonly outcome: AttemptOutcome; readonly value: unknown },
): WalletPass | null {
  return outcome.kind === 'applied' && groupOf(operation) === 'issue' ? (value as WalletPass | null) : null;
}
