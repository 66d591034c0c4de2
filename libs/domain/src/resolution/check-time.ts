import type { DeliveryPolicy } from '../intent/delivery-policy.js';
import { retryAfterMsMax, retryDelayMs } from '../delivery/retry-delay.js';

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
