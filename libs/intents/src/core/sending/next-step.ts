import { nextPurchaseCheckAt } from '../intent/decide-waiting.js';
import { decide } from '../intent/decide.js';
import type { PurchaseStatus } from '../intent/intent-command.js';
import type { IntentEvent, PassBefore } from '../intent/intent-event.js';
import type { IntentHistory, UnknownIntent } from '../intent/intent-state.js';
import { isSettled } from '../intent/intent-state.js';
import { groupOf, needsPass, touchesPass } from '../operation.js';
import { readsBefore, resolutionStep } from '../resolution/resolution.js';
import type { ComeBackStep, OwedIntent, RecordStep, Sending } from './sending.js';
import { comeBackAt, doubtInsteadOf, eventsOf, forgottenDoubt, hadPass, isLeaving, record } from './sending.js';

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
  /** Begin an attempt; `preceding` is appended first, in the same statement. */
  | {
      readonly kind: 'begin';
      readonly attempt: number;
      readonly before: PassBefore | null;
      readonly preceding: readonly IntentEvent[];
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
  return settleLate(deciding) ?? expire(deciding) ?? awaitPurchase(deciding) ?? send(deciding);
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
      if (step.kind === 'resend' && isOver(deciding)) {
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
  if (!isOver(deciding)) return null;
  const { now, policy } = deciding;
  return forgottenDoubt(deciding) ?? record(eventsOf(deciding, { type: 'ExpireIntent', at: now, policy }));
}

/** Whether what it was good for is over. */
function isOver({ intent: { command }, now }: Sending): boolean {
  if (command?.operation !== 'reward' || command.validUntil === undefined) return false;
  return now >= Date.parse(command.validUntil);
}

/** A refund waits for its purchase; null when there is none to wait for. */
function awaitPurchase(deciding: Deciding): NextStep | null {
  const { intent, state, policy, now, chance } = deciding;
  const purchase = purchaseStatus(deciding);
  if (purchase === null || purchase === 'delivered') return null;
  const takesBack = intent.takesBack === true;
  const place = intent.waitsFor?.place ?? null;
  const events = eventsOf(deciding, { type: 'AwaitPurchase', at: now, purchase, place, takesBack, policy, chance });
  if (events.length > 0) return doubtInsteadOf(events, deciding) ?? record(events);
  return comeBackAt('await', nextPurchaseCheckAt(state, { at: now, purchase, policy, chance }));
}

/** As far as the purchase was moved under this lease, else as it was when the lane was claimed; null: none is waited for. */
function purchaseStatus({ intent, purchase }: Sending): PurchaseStatus | null {
  if (intent.waitsFor === null) return null;
  const { status: atClaim } = intent.waitsFor;
  const { status } = purchase;
  if (status === 'absent') return atClaim;
  if (status === 'delivered') return 'delivered';
  if (status === 'cancelled') return 'gone';
  if (atClaim === 'behind') return 'behind';
  return status === 'parked' ? 'parked' : 'open';
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

/** Whether the call is to name the pass as the partner does, and that has not been shown. */
function isUnnamed({ intent, known, naming }: Sending): boolean {
  const { operation } = intent;
  if (!needsPass(operation)) return false;
  const part = naming[operation];
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

function begin({ state, known }: Sending, preceding: readonly IntentEvent[]): NextStep {
  const attempts = state.status === 'absent' ? 0 : state.attempts;
  return { kind: 'begin', attempt: attempts + 1, before: known.before, preceding };
}
