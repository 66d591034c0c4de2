import { isDeepStrictEqual } from 'node:util';

import type { Expectation, ExpectedStatus, Matcher } from '../specification.js';
import type { Seen } from './contract-client.js';
import { firstAt, or, valueAt } from './names.js';

type Conditions = Exclude<Matcher, string>;
type ValueType = NonNullable<Conditions['type']>;

const typeTests: Readonly<Record<ValueType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: (value) => Array.isArray(value),
  url: (value) => typeof value === 'string' && /^https?:\/\/\S+$/.test(value) && URL.canParse(value),
};

/** How a value differs from what is expected; null when it does not. Values are shown, so give none that are secret. */
export function mismatch(matcher: Matcher, value: unknown): string | null {
  if (matcher === 'absent') return value === undefined ? null : `is there: ${shown(value)}`;
  if (value === undefined) return 'is missing';
  const conditions = typeof matcher === 'string' ? { type: matcher } : matcher;
  return tests.map((test) => test(conditions, value)).find((problem) => problem !== null) ?? null;
}

type Test = (conditions: Conditions, value: unknown) => string | null;

const tests: readonly Test[] = [
  ({ type }, value) => (type === undefined || typeTests[type](value) ? null : `is no ${type}: ${shown(value)}`),
  ({ is }, value) => (is === undefined || isDeepStrictEqual(value, is) ? null : `is ${shown(value)}, not ${shown(is)}`),
  ({ sameText }, value) =>
    sameText === undefined || shownPlainly(value) === shownPlainly(sameText)
      ? null
      : `is ${shown(value)}, not ${shown(sameText)}`,
  ({ instant }, value) =>
    instant === undefined || momentOf(value) === momentOf(instant)
      ? null
      : `is ${shown(value)}, not the moment ${shown(instant)}`,
  ({ matches }, value) =>
    matches === undefined || new RegExp(matches).test(String(value)) ? null : `does not match ${matches}`,
  ({ atLeast }, value) =>
    atLeast === undefined || (typeof value === 'number' && value >= atLeast)
      ? null
      : `is ${shown(value)}, less than ${atLeast}`,
  ({ length }, value) =>
    length === undefined || (Array.isArray(value) && value.length === length)
      ? null
      : `has ${Array.isArray(value) ? value.length : 'no'} items, not ${length}`,
  ({ has }, value) => {
    const lacking = Object.entries(has ?? {}).find(
      ([key, item]) => !isDeepStrictEqual((value as Record<string, unknown>)[key], item),
    );
    return lacking === undefined ? null : `does not have ${lacking[0]} = ${shown(lacking[1])}`;
  },
];

const shownCharsMax = 120;

function shown(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return 'nothing';
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}...` : text;
}

/** `5` and `'5'` are the same text. */
function shownPlainly(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Not a number where it is no time, so that two of them differ. */
/** In whatever form of ISO 8601; one without a zone is in UTC, as all that this suite sends. */
function momentOf(value: unknown): number {
  if (typeof value !== 'string') return NaN;
  const extended = value.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:$6');
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(extended) ? extended : `${extended}Z`);
}

/** What the dialect takes for success. */
export interface SuccessStatuses {
  isSuccess(status: number): boolean;
  /** Of an issue (4.2), whose status the specification does not show. */
  isIssued(status: number): boolean;
}

/** These speak about the caller or its pace, not about what was asked for. */
const notAboutTheRequest = new Set([401, 403, 408, 429]);

/** Everything in which an answer is not as expected. */
export function problemsOf(expected: Expectation, seen: Seen, success: SuccessStatuses): string[] {
  if (!statusFits(expected.status, seen.status, success)) {
    return [...seen.problems, `status ${seen.status ?? 'none'}, not ${expected.status}${messageOf(seen)}`];
  }
  return [...seen.problems, ...mismatches(expected.body, seen.body)];
}

export function mismatches(matchers: Readonly<Record<string, Matcher>>, body: unknown): string[] {
  return Object.entries(matchers).flatMap(([path, matcher]) => {
    const problem = mismatch(matcher, firstAt(body, path.split(or)));
    return problem === null ? [] : [`${path} ${problem}`];
  });
}

function statusFits(expected: ExpectedStatus, status: number | null, success: SuccessStatuses): boolean {
  if (status === null) return false;
  switch (expected) {
    case 'success':
      return success.isSuccess(status);
    case 'issued':
      return success.isIssued(status);
    case '2xx':
      return status >= 200 && status < 300;
    case '4xx':
      return status >= 400 && status < 500;
    case 'refused':
      return status >= 400 && status < 500 && !notAboutTheRequest.has(status);
    default:
      return status === expected;
  }
}

/** A refusal's own words say most about what went wrong. */
function messageOf({ body }: Seen): string {
  const message = valueAt(body, 'message');
  return typeof message === 'string' ? ` (${message})` : '';
}
