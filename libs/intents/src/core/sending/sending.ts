import type { IdentityPlace } from '../identity/judge-identities.js';
import { decide } from '../intent/decide.js';
import type { IntentCommand, PurchaseStatus } from '../intent/intent-command.js';
import type { IntentEvent, PassBefore } from '../intent/intent-event.js';
import type { IntentState } from '../intent/intent-state.js';
import type { KnownPass } from '../intent/transitions.js';
import type { Operation } from '../operation.js';
import type { PartnerCommand, PassName, PassNaming } from '../owed/partner-command.js';
import type { DeliveryPolicy } from '../resolution/resolution.js';

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
  /** It was recorded without a command, and never corrected: an operator must look at it, if anybody. Absent otherwise. */
  readonly makesNoCall?: true;
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
