import { type Answer, jsonAnswer } from '../http/answer.js';
import type { FaultKind, FaultSettings } from './fault-kind.js';

/** 429, with Retry-After when the rule gives one; nothing takes effect. */
export const tooMany: FaultKind = {
  kind: 'too-many',
  async around(_call, { status = 429, retryAfter }) {
    return jsonAnswer(status, { message: 'Too many requests' }, retryAfterHeader(retryAfter, Date.now()));
  },
};

/** A server error, and nothing takes effect. */
export const errorBefore: FaultKind = {
  kind: 'error-before',
  async around(_call, { status = 500, retryAfter }) {
    return jsonAnswer(status, { message: 'Internal server error' }, retryAfterHeader(retryAfter, Date.now()));
  },
};

/** 401 although the token is good; nothing takes effect. */
export const unauthorized: FaultKind = {
  kind: 'unauthorized',
  async around() {
    return jsonAnswer(401, { message: 'Unauthorized' });
  },
};

/** The token endpoint is out of order. */
export const tokenDown: FaultKind = {
  kind: 'token-down',
  operations: ['token'],
  async around(_call, { status = 503, retryAfter }) {
    return jsonAnswer(status, { message: 'Service unavailable' }, retryAfterHeader(retryAfter, Date.now()));
  },
};

/** Statuses that a rule may give to a redirect. */
export const redirectStatuses = [300, 399] as const;

/** Never resolves (RFC 6761), so that a caller who follows takes its token nowhere. */
const elsewhere = 'https://elsewhere.invalid/brands';

/** Sends to `location`, or to a place that is nowhere. */
export function redirectTo({ status = 302, location = elsewhere }: FaultSettings): Answer {
  return jsonAnswer(status, { message: 'Moved' }, { location });
}

/** Sends the caller to another place, which `location` may name; nothing takes effect here. */
export const redirect: FaultKind = {
  kind: 'redirect',
  statuses: redirectStatuses,
  async around(_call, settings) {
    return redirectTo(settings);
  },
};

const relativeDate = /^date([+-]\d{1,6})$/;

/** False for a text that begins like a relative date and is not one: it would go to the caller as it is. */
export function isRetryAfter(value: string): boolean {
  return !/^date/i.test(value) || relativeDate.test(value);
}

/** The Retry-After header of a rule; `date+5` becomes the HTTP date five seconds from now, rounded up. */
export function retryAfterHeader(retryAfter: number | string | undefined, nowMs: number): Record<string, string> {
  if (retryAfter === undefined) return {};
  const [, seconds] = relativeDate.exec(String(retryAfter)) ?? [];
  if (seconds === undefined) return { 'retry-after': String(retryAfter) };
  return { 'retry-after': new Date(Math.ceil(nowMs / 1000 + Number(seconds)) * 1000).toUTCString() };
}
