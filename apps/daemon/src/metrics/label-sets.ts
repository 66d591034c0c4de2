import { isCurrencyCode, OUTCOME_EVENT_SCHEMAS } from '#contracts';
import { IGNORED_REASONS, OPERATIONS, QUARANTINE_REASONS } from '#intents/core';

/** The value of a label for whatever is in none of the closed sets: it must never make a series of its own. */
export const otherLabel = 'other';

/** The values that a label may take. What partners, producers and operators say decides about none of them. */
export const labelSets = {
  operation: OPERATIONS,
  outcome: ['applied', 'rejected', 'not-applied', 'unknown'],
  result: ['recorded', 'quarantined', 'already-consumed', ...IGNORED_REASONS],
  reason: QUARANTINE_REASONS,
  key: ['other', 'none'],
  resolution: [
    'open',
    'pass-found',
    'as-wanted',
    'points',
    'duplicate-refusal',
    'late-outcome',
    'absent',
    'resend-unique-attribute',
    'resend-policy',
    'parked',
  ],
  ended: ['delivered', 'parked', 'cancelled', 'refused', 'skipped'],
  door: ['accepted', 'unauthorized', 'refused', 'no-key', 'too-large', 'too-many', 'kafka-away'],
  published: Object.keys(OUTCOME_EVENT_SCHEMAS),
} as const;

/** The value itself where it belongs to the set, else `other`. */
export function closedLabel(set: readonly string[], value: string): string {
  return set.includes(value) ? value : otherLabel;
}

/** Why a call ended as it did, where no status tells more. */
const namedCodes: ReadonlySet<string> = new Set([
  'applied',
  ...['duplicate', 'no-such-pass', 'refused', 'unauthorized', 'too-many-requests'],
  ...['dns-failure', 'connection-refused', 'connect-timeout', 'tls-failure', 'connection-failed'],
  ...['timeout-before-send', 'aborted', 'timeout', 'reset', 'truncated', 'malformed'],
  ...['response-too-large', 'no-status', 'foreign-pass', 'answered-otherwise'],
]);

/** Why an attempt ended before the partner was called, or without a word of how long the call took. */
const uncalledCodes: ReadonlySet<string> = new Set([
  ...['invalid-request', 'no-token', 'unsendable', 'aborted-before-send', 'not-sent', 'send-window-missed'],
  'withdrawn',
  ...['worker-lost', 'gateway-defect'],
]);

/** Statuses that have a label of their own; the others share one for their class. */
const namedStatuses: ReadonlySet<string> = new Set(
  '400 401 403 404 405 408 409 415 422 429 500 502 503 504'.split(' '),
);

/**
 * The class of a call's code: a partner may answer any status, but there are only so many series. Null where there was no
 * call to tell of.
 */
export function codeLabel(code: string): string | null {
  if (uncalledCodes.has(code)) return null;
  if (namedCodes.has(code)) return code;
  if (/^unproven-2\d\d$/.test(code)) return 'http-2xx-unproven';
  const [, status, body] = /^http-([1-9]\d\d)(-[a-z-]+)?$/.exec(code) ?? [];
  if (status === undefined) return otherLabel;
  if (body !== undefined) return 'http-2xx-unreadable';
  return namedStatuses.has(status) ? code : `http-${status.charAt(0)}xx`;
}

/** A program that names no currency takes whatever an event says. */
export function currencyLabel(currency: string): string {
  return isCurrencyCode(currency) ? currency : otherLabel;
}
