import { retryDelayMs } from '../delivery/retry-delay.js';
import { needsPass } from '../operation.js';
import type { Decision, IgnoredCommandReason, IntentCommand } from './intent-command.js';
import { happened, ignored } from './intent-command.js';
import type { IntentEvent, ParkedReason } from './intent-event.js';
import type { IntentHistory, IntentState } from './intent-state.js';
import { isSettled, isUntouched } from './intent-state.js';

type AwaitPass = Extract<IntentCommand, { type: 'AwaitPass' }>;

/** An attempt that nobody saw the end of may have been applied: then the missing pass is not the whole story. */
function reasonWithoutPass({ hadUnknown }: IntentHistory, { neverEnrolled, policy }: AwaitPass): ParkedReason {
  if (hadUnknown) return 'unknown-outcome';
  return neverEnrolled === true && !needsPass(policy.operation) ? 'not-a-member' : 'missing-pass';
}

type AwaitPurchase = Extract<IntentCommand, { type: 'AwaitPurchase' }>;

function whyNoWait(state: IntentState): IgnoredCommandReason {
  if (state.status === 'absent') return 'not-recorded';
  return isSettled(state) ? 'already-settled' : 'in-flight';
}

/** What touches the pass of a member who has none: wait, look again, and park after `missingPass.waitMs`. */
export function decideAwaitPass(state: IntentState, command: AwaitPass): Decision {
  if (state.status !== 'pending' && state.status !== 'waiting') return ignored(whyNoWait(state));
  const { at, policy, chance } = command;
  const deadline = state.recordedAt + policy.missingPassWaitMs;
  const hasWaited = state.status === 'waiting' && state.for === 'pass';
  if (at >= deadline && hasWaited) {
    const reason = reasonWithoutPass(state, command);
    return happened({ type: 'PassAbsent', at }, { type: 'IntentParked', at, reason, lane: policy.onPark });
  }
  // A re-check that finds nothing new is no event: a day of waiting must not fill the store.
  if (hasWaited) return ignored('still-waiting');
  // However late the first look is, the waiting begins: only then an enrolment that lies in the lane goes ahead.
  const lastCheckAt = at < deadline ? deadline : Infinity;
  const recheckAt = passRecheckAt({ waitingSince: at, at, deadline: lastCheckAt, chance });
  return happened({ type: 'PassAbsent', at }, { type: 'WaitingBegan', at, for: 'pass', recheckAt });
}

/**
 * When to ask for the pass again: the longer it has been waited for, the rarer, with jitter, never after the deadline.
 * @returns epoch milliseconds
 */
export function passRecheckAt(input: {
  readonly waitingSince: number;
  readonly at: number;
  readonly deadline: number;
  readonly chance: number;
}): number {
  const { waitingSince, at, deadline, chance } = input;
  const delayMs = retryDelayMs({ lastDelayMs: (at - waitingSince) / 2, retryAfterMs: null, chance });
  return Math.min(at + delayMs, deadline);
}

/**
 * A refund goes after its purchase: it waits while that is open, and a person must look when it never comes. Behind one that is
 * parked it parks at once: nothing becomes of that before a person has looked, and the member's other work goes on.
 */
export function decideAwaitPurchase(state: IntentState, command: AwaitPurchase): Decision {
  if (state.status !== 'pending' && state.status !== 'waiting') return ignored(whyNoWait(state));
  const { at, purchase, chance } = command;
  if (purchase === 'delivered') return decideRelease(state, { type: 'ReleaseIntent', at });
  if (purchase === 'taken-back') {
    return happened({ type: 'IntentParked', at, reason: ofTakenBack(state), lane: 'continue' });
  }
  const deadline = purchaseDeadline(state, command);
  const mayCome = purchase === 'open' || purchase === 'unknown';
  if (!mayCome || at >= deadline) return happened(withoutPurchase(state, command));
  if (state.status === 'waiting' && state.for === 'purchase') return ignored('still-waiting');
  const recheckAt = passRecheckAt({ waitingSince: at, at, deadline, chance });
  return happened({ type: 'WaitingBegan', at, for: 'purchase', recheckAt });
}

/** What is given for a sale that was taken back whole is for a person: whether it is given all the same. */
const ofTakenBack = ({ hadUnknown }: IntentHistory): ParkedReason => (hadUnknown ? 'unknown-outcome' : 'conflict');

/** A purchase that is known waits for its pass, perhaps, and what goes after it as long. */
function purchaseDeadline(
  { recordedAt }: Pick<IntentHistory, 'recordedAt'>,
  { purchase, policy }: Pick<AwaitPurchase, 'purchase' | 'policy'>,
): number {
  return recordedAt + (purchase === 'unknown' ? policy.missingPurchaseWaitMs : policy.missingPassWaitMs);
}

/** What is taken back, or rewarded, never was: nothing is left to do. What lies behind it in the lane could never come if it held that. */
function withoutPurchase({ hadUnknown }: IntentHistory, command: AwaitPurchase): IntentEvent {
  const { at, purchase, place = null, policy } = command;
  const reasonToEnd = purchase === 'gone' ? whyWithIt(hadUnknown, command) : null;
  if (reasonToEnd !== null) return { type: 'IntentCancelled', at, by: 'loyaltyd', reason: reasonToEnd };
  const reason = hadUnknown ? 'unknown-outcome' : purchase === 'held' ? 'held' : 'missing-purchase';
  const parked = {
    type: 'IntentParked',
    at,
    reason,
    lane: holdsNobody(purchase) ? 'continue' : policy.onPark,
  } as const;
  return comesBackWith(purchase) && place !== null && !hadUnknown ? { ...parked, awaits: place } : parked;
}

const comesBackWith = (purchase: AwaitPurchase['purchase']): boolean => purchase === 'parked' || purchase === 'held';

/** Why what goes after a purchase ends with it; null: it does not. A reward that may have been given is in doubt. */
function whyWithIt(hadUnknown: boolean, { takesBack, isGrant }: AwaitPurchase): string | null {
  if (takesBack === true) return 'nothing-to-take-back';
  return isGrant === true && !hadUnknown ? 'sale-cancelled' : null;
}

/** What is parked or lies behind it may take long; held by it, that could never come. */
const holdsNobody = (purchase: AwaitPurchase['purchase']): boolean => comesBackWith(purchase) || purchase === 'behind';

/** When a refund looks at its purchase again. Cheap: no call to the partner. */
export function nextPurchaseCheckAt(
  state: IntentState,
  { at, purchase, policy, chance }: Omit<AwaitPurchase, 'type' | 'place'>,
): number {
  if (state.status !== 'waiting') return at;
  const deadline = purchaseDeadline(state, { purchase, policy });
  return passRecheckAt({ waitingSince: state.since, at, deadline, chance });
}

/** What it was good for is over. What may have been sent of it stays in doubt: that it is over proves nothing. */
export function decideExpiry(
  state: IntentState,
  { at, policy }: Extract<IntentCommand, { type: 'ExpireIntent' }>,
): Decision {
  const lane = policy.onPark;
  if (state.status === 'unknown') return happened({ type: 'IntentParked', at, reason: 'unknown-outcome', lane });
  if (state.status !== 'pending' && state.status !== 'waiting') return ignored(whyNoWait(state));
  const released: IntentEvent[] = state.status === 'waiting' ? [{ type: 'IntentReleased', at }] : [];
  const reason = state.doubts.length > 0 ? 'unknown-outcome' : 'expired';
  return happened(...released, { type: 'IntentParked', at, reason, lane });
}

/**
 * The member's other work passes it. Never what may have taken effect: its lane settles that first. Where `onPark` says that what
 * cannot be sent holds the lane, it holds it.
 */
export function decideStepAside(
  state: IntentState,
  { at, policy, behind }: Extract<IntentCommand, { type: 'StepAside' }>,
): Decision {
  if (state.status !== 'pending' && state.status !== 'waiting') return ignored(whyNoWait(state));
  if (!isUntouched(state)) return ignored('in-doubt');
  if ('heldBy' in behind && policy.onPark === 'block') return ignored('blocks');
  return happened({ type: 'IntentParked', at, reason: 'held', lane: 'continue', ...behind });
}

/** What was waited for has come. */
export function decideRelease(
  state: IntentState,
  command: Extract<IntentCommand, { type: 'ReleaseIntent' }>,
): Decision {
  return state.status === 'waiting' ? happened({ type: 'IntentReleased', at: command.at }) : ignored('not-waiting');
}
