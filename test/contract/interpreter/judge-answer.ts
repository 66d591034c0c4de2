import type { ExpectedStatus, Expectation, Matcher } from '../reading/specification.js';
import type { Seen } from './contract-client.js';
import { mismatch } from './match.js';
import { valueAt } from './value-at.js';

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
    const problem = mismatch(matcher, valueAt(body, path));
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
