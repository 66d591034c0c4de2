import { type Answer, changeAnswer, jsonAnswer } from '../http/answer.js';
import { changingOperations } from '../http/operation.js';
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

/** One of a list that begins anew behind its last. */
const chosenOf = <T>(list: readonly [T, ...T[]], index: number): T => list[index % list.length] ?? list[0];

const page = '<!doctype html><html><title>Maintenance</title><h1>We will be back soon</h1></html>';

const pageAs = (contentType: string): Answer => ({
  status: 200,
  headers: { 'content-type': contentType },
  body: page,
  wire: 'whole',
});

/** None has a message: a schedule is answered with nothing else (partner-api.md 4.4). */
const maintenances: readonly [Answer, ...Answer[]] = [
  pageAs('text/html; charset=utf-8'),
  pageAs('application/json; charset=utf-8'),
  jsonAnswer(200, { status: 'maintenance' }),
  jsonAnswer(200, { maintenance: true, until: '2026-12-24T06:00:00Z' }),
  jsonAnswer(200, { data: null, error: { code: 'MAINTENANCE' } }),
];

/** A gateway answers a success, with a page or an object, for a partner that is down for maintenance; nothing takes effect. */
export const maintenancePage: FaultKind = {
  kind: 'maintenance-page',
  statuses: [200, 299],
  async around(_call, { wording, status }, { chance }) {
    const chosen = chosenOf(maintenances, wording ?? Math.floor(chance(1) * maintenances.length));
    return changeAnswer(chosen, status === undefined ? {} : { status });
  },
};

interface Busy {
  readonly status: number;
  /** @param value what the request names: the last of it, a receipt where there is one */
  readonly message: (value: string) => string;
}

/** In words that a duplicate's refusal may have, too. */
const busies: readonly [Busy, ...Busy[]] = [
  { status: 409, message: (value) => `receipt ${value} is already being processed, try again later` },
  { status: 409, message: (value) => `Conflict: the card is being changed; receipt ${value} was not stored` },
  {
    status: 400,
    message: (value) => `Attribute receipt is fine (${value}), but the card has already expired`,
  },
  { status: 422, message: () => 'The program has already ended' },
  { status: 400, message: (value) => `${value}: the request was already cancelled` },
  { status: 409, message: (value) => `Another change of ${value} is already under way` },
];

/** A refusal with the word "already", or with the value, that is not one of a duplicate; nothing takes effect. */
export const alreadyBusy: FaultKind = {
  kind: 'already-busy',
  operations: changingOperations,
  statuses: [400, 499],
  async around({ named }, { wording, status }, { chance }) {
    const chosen = chosenOf(busies, wording ?? Math.floor(chance(1) * busies.length));
    return jsonAnswer(status ?? chosen.status, { message: chosen.message(named?.().at(-1) ?? '') });
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
