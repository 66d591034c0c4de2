import { retryAfterMsMax } from '#domain';

/**
 * Retry-After (RFC 9110 section 10.2.3), in seconds or as a date, in milliseconds from `nowMs`, clamped to
 * [0, `retryAfterMsMax`]. `null` when absent or unreadable.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (text === '') return null;
  const delayMs = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(delayMs) ? null : Math.min(Math.max(0, delayMs), retryAfterMsMax);
}
