import type { ExpectedStatus, Expectation, Matcher } from '../reading/specification.js';
import type { Seen } from './contract-client.js';
import { mismatch } from './match.js';
import { valueAt } from './value-at.js';

export type IsSuccess = (status: number) => boolean;

/** These speak about the caller or its pace, not about what was asked for. */
const notAboutTheRequest = new Set([401, 403, 408, 429]);

/** Everything in which an answer is not as expected. */
export function problemsOf(expected: Expectation, seen: Seen, isSuccess: IsSuccess): string[] {
  if (!statusFits(expected.status, seen.status, isSuccess)) {
    return [...seen.problems, `status ${seen.status ?? 'none'}, not ${expected.status}${messageOf(seen)}`];
  }
  return [...seen.problems, ...mismatches(expected.body, seen.body)];
}

export function mismatches(matchers: Readonly<Record<string, Matcher>>, body: unknown): string[] {
  return Object.entries(matchers).flatMap(([path, matcher]) => {
    const problem = mismatch(matcher, valueAt(body, path));
    return problem === null ? [] : [`${path} ${problem}`];
  });
}

function statusFits(expected: ExpectedStatus, status: number | null, isSuccess: IsSuccess): boolean {
  if (status === null) return false;
  switch (expected) {
    case 'success':
      return isSuccess(status);
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
