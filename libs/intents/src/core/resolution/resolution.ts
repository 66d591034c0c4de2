import { retryAfterMsMax, retryDelayMs } from '../delivery/retry-delay.js';
import type { ParkedLane, ResendBasis } from '../intent/intent-event.js';
import type { IntentHistory, UnknownIntent } from '../intent/intent-state.js';
import { hasContradiction, hasUnprovenYes } from '../intent/intent-state.js';
import type { Operation } from '../operation.js';
import { factsOf, needsPass } from '../operation.js';
import type { PartnerCommand } from '../owed/partner-command.js';

/** How an unknown outcome is resolved (`onUnknown`, contracts.md section 2). */
export type UnknownPolicy = 'park' | 'resend' | 'probe';

/**
 * How an intent's unknown outcome is resolved (design.md section 6).
 * - `look-up`: by asking for the pass; absence must be proved twice.
 * - `resend-unique`: sent again, for the partner refuses the same value twice.
 * - `resend`: sent again because the programs file says so.
 * - `probe-points`, `probe-content`: by what the pass showed before and shows now.
 * - `park`: by a person.
 */
export type Resolution = 'look-up' | 'resend-unique' | 'resend' | 'probe-points' | 'probe-content' | 'park';

/** The way for one command under the programs file's `onUnknown`. A probe without a known effect parks. */
export function resolutionOf(command: PartnerCommand, onUnknown: UnknownPolicy): Resolution {
  if (command.operation === 'transaction' && command.uniqueAttribute?.enforced === true) return 'resend-unique';
  return onUnknown === 'probe' ? probeOf(command) : onUnknown;
}

/** Whether the pass must be read before each attempt, so that there is something to compare with. */
export function readsBefore(resolution: Resolution): boolean {
  return resolution === 'probe-points' || resolution === 'probe-content';
}

function probeOf(command: PartnerCommand): Resolution {
  const { probe } = factsOf(command.operation);
  const isStill = probe === 'probe-points' && (!('pointsDelta' in command) || (command.pointsDelta ?? 0) === 0);
  return isStill ? 'park' : probe;
}

/** The part of a program that decides about one operation's attempts. Times in milliseconds. */
export interface DeliveryPolicy {
  readonly retries: { readonly maxAttempts: number; readonly maxAgeMs: number };
  readonly missingPassWaitMs: number;
  /** How long what goes after a purchase waits for one that nobody knows. */
  readonly missingPurchaseWaitMs: number;
  /** A refund whose purchase nobody knows by then is posted. */
  readonly postsUnknownRefunds: boolean;
  readonly inFlightMs: number;
  readonly onPark: ParkedLane;
  readonly resolution: Resolution;
  /** Whether the program says that it spends points: then it goes after all sales of its member before it. */
  readonly spendsPoints: boolean;
  /** By how much the intent moves the pass's points; null where nobody knows. */
  readonly pointsDelta: number | null;
  readonly operation: Operation;
}

/** First look for evidence: an answer that got lost is often visible at once. Jittered. */
const firstCheckMs = 1_000;
/** However old an intent is, its unknown attempt is looked after for so long at least, counted from `inFlightMs` on. */
const resolvingMsMin = 600_000;

/**
 * When evidence about an attempt is looked for first.
 * @returns epoch milliseconds
 */
export function firstCheckAt(
  policy: DeliveryPolicy,
  input: { readonly at: number; readonly retryAfterMs: number | null; readonly chance: number },
): number {
  const { at, retryAfterMs, chance } = input;
  const isResent = policy.resolution === 'resend' || policy.resolution === 'resend-unique';
  const soonMs = firstCheckMs * (0.5 + chance);
  const delayMs = isResent ? policy.inFlightMs : Math.min(policy.inFlightMs, soonMs);
  const askedMs = Math.min(Math.max(0, retryAfterMs ?? 0), retryAfterMsMax);
  return Math.round(at + Math.max(delayMs, askedMs));
}

/**
 * When to look again: at the end of `inFlightMs`, from which on a "no" counts; afterwards the rarer, the longer it has
 * taken.
 * @returns epoch milliseconds
 */
export function nextCheckAt(input: {
  readonly since: number;
  readonly inFlightMs: number;
  readonly at: number;
  readonly chance: number;
}): number {
  const { since, inFlightMs, at, chance } = input;
  const settledAt = since + inFlightMs;
  const delayMs = retryDelayMs({ lastDelayMs: (at - since) / 2, retryAfterMs: null, chance });
  return at < settledAt ? settledAt : at + delayMs;
}

/** Whether looking for evidence has gone on long enough: then a person must decide. */
export function isPastResolving(
  input: { readonly triedSince: number; readonly since: number; readonly at: number },
  policy: DeliveryPolicy,
): boolean {
  const { triedSince, since, at } = input;
  return at > Math.max(triedSince + policy.retries.maxAgeMs, since + policy.inFlightMs + resolvingMsMin);
}

/**
 * The code of an attempt that nobody knows of: the database was restored, and what was sent after the restored moment is
 * forgotten (design.md section 4, Disaster). Whether there was one at all is part of the doubt.
 */
export const forgottenCode = 'forgotten';

/**
 * How such an attempt is resolved, whatever was in it. Enrolments are looked up first. A transaction with an enforced value
 * is sent again. Other transactions and rewards are never: `resend` in the programs file accepts a double call where one
 * answer was lost, not one for each sale of a day. Updates follow their policy, where nothing needs to have been read
 * before.
 */
export function resolutionAfterRecovery({ operation, resolution }: DeliveryPolicy): Resolution {
  switch (factsOf(operation).pass) {
    case 'makes':
      return 'look-up';
    case 'uses':
      return resolution === 'resend-unique' ? resolution : 'park';
    case 'changes':
      return resolution === 'resend' ? resolution : 'park';
  }
}

/** An issue that was refused as a duplicate: the pass is looked up, whatever the policy says. */
export const duplicateIssueCode = 'duplicate-refused';

/** What to do next about an attempt whose outcome is unknown. */
export type ResolutionStep =
  /** Nothing before this time (epoch milliseconds). */
  | { readonly kind: 'wait'; readonly until: number }
  /** Ask for the pass. `provesAbsence`: the attempt can no longer take effect, so a twofold "no" counts. */
  | { readonly kind: 'look-up'; readonly provesAbsence: boolean }
  /** Read the pass and compare it with what it showed before the attempt. */
  | { readonly kind: 'read' }
  | { readonly kind: 'resend'; readonly basis: ResendBasis }
  /** The attempt's own worker has told since that it was applied. */
  | { readonly kind: 'settle'; readonly attempt: number }
  /** No evidence can be had: a person must look. */
  | { readonly kind: 'park' };

/** Pure. Nothing is sent again before `inFlightMs` have passed: until then the attempt may still take effect. */
export function resolutionStep(state: UnknownIntent, policy: DeliveryPolicy, now: number): ResolutionStep {
  const settledAt = state.endedBy + policy.inFlightMs;
  if (state.lateApplied !== null) return { kind: 'settle', attempt: state.lateApplied };
  if (hasContradiction(state)) return { kind: 'park' };
  if (state.code === duplicateIssueCode) return { kind: 'look-up', provesAbsence: now >= settledAt };
  switch (resolutionOfAttempt(state, policy)) {
    case 'look-up':
      return { kind: 'look-up', provesAbsence: now >= settledAt };
    case 'resend-unique':
      return resend(settledAt, 'unique-attribute', now);
    case 'resend':
      return resend(settledAt, 'policy', now);
    case 'probe-points':
      return state.before?.points === undefined ? { kind: 'park' } : { kind: 'read' };
    case 'probe-content':
      return state.before?.differs === true ? { kind: 'read' } : { kind: 'park' };
    case 'park':
      return { kind: 'park' };
  }
}

/** What a lost history may have sent is resolved more carefully than an answer that was lost. */
function resolutionOfAttempt(state: UnknownIntent, policy: DeliveryPolicy): Resolution {
  if (state.code === forgottenCode) return resolutionAfterVoid(state, resolutionAfterRecovery(policy));
  return resolutionAfterVoid(state, resolutionAfterYes(policy, hasUnprovenYes(state)));
}

/** What was voided is never sent again, not even to settle the doubt by the unique value. */
export function resolutionAfterVoid({ cancelRequest }: IntentHistory, resolution: Resolution): Resolution {
  const isResent = resolution === 'resend' || resolution === 'resend-unique';
  return cancelRequest !== null && isResent ? 'park' : resolution;
}

/**
 * `resend` accepts a second call where an answer was lost. Where the partner answered yes, and only the proof is missing,
 * it most likely did it: what would take effect twice is not sent again, neither for this answer nor for the next one
 * like it.
 */
export function resolutionAfterYes({ operation, resolution }: DeliveryPolicy, isUnprovenYes: boolean): Resolution {
  return isUnprovenYes && needsPass(operation) && resolution === 'resend' ? 'park' : resolution;
}

/** Where it was decided already that the intent is sent again, and such a yes, or one that contradicts, came late. */
export function isHeldBack(history: IntentHistory, { operation, resolution }: DeliveryPolicy): boolean {
  if (hasContradiction(history)) return true;
  return needsPass(operation) && resolution !== 'resend-unique' && hasUnprovenYes(history);
}

function resend(settledAt: number, basis: ResendBasis, now: number): ResolutionStep {
  return now >= settledAt ? { kind: 'resend', basis } : { kind: 'wait', until: settledAt };
}
