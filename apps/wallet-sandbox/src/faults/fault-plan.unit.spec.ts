import { isRetryAfter, retryAfterHeader } from './before-effect.js';
import { faultPlanSchema } from './fault-plan.js';

function problems(rule: object): string {
  const { error } = faultPlanSchema.safeParse({ rules: [rule] });
  return error?.issues.map((issue) => issue.message).join('; ') ?? '';
}

describe('a fault plan', () => {
  it('needs nothing but operation and kind', () => {
    const rules = [{ operation: 'transaction', kind: 'drop-after' }];
    expect(faultPlanSchema.parse({ rules })).toEqual({ seed: 0, rules });
  });

  it.each([
    [{ operation: 'issue', kind: 'earthquake' }, /unknown kind earthquake; known are .*drop-after/],
    [{ operation: 'dance', kind: 'empty' }, /expected one of/],
    [{ operation: 'issue', kind: 'latency' }, /latency needs ms/],
    [{ operation: 'issue', kind: 'token-down' }, /token-down makes no sense for issue/],
    [{ operation: 'issue', kind: 'empty', probability: 0.5, sequence: [1] }, /exclude each other/],
    [{ operation: 'transaction', kind: 'foreign' }, /foreign makes no sense for transaction/],
    [{ operation: 'issue', kind: 'drop-after', applies: false }, /drop-after cannot choose whether the call applies/],
    [{ operation: 'issue', kind: 'hollow', applies: 'no' }, /expected boolean/],
    [{ operation: 'issue', kind: 'hollow', status: 404 }, /hollow needs a status from 200 to 299/],
    [{ operation: 'issue', kind: 'empty', probability: 2 }, /<=1/],
    [{ operation: 'issue', kind: 'empty', color: 1 }, /Unrecognized key/],
  ])('refuses %j', (rule, problem) => {
    expect(problems(rule)).toMatch(problem);
  });
});

const nowMs = Date.UTC(2026, 10, 21, 9, 15, 4, 1);

describe('the Retry-After header of a rule', () => {
  it.each([
    [undefined, {}],
    [3, { 'retry-after': '3' }],
    [0.5, { 'retry-after': '0.5' }],
    ['soon', { 'retry-after': 'soon' }],
    ['Sat, 21 Nov 2026 09:15:04 GMT', { 'retry-after': 'Sat, 21 Nov 2026 09:15:04 GMT' }],
    ['date+5', { 'retry-after': 'Sat, 21 Nov 2026 09:15:10 GMT' }],
    ['date-5', { 'retry-after': 'Sat, 21 Nov 2026 09:15:00 GMT' }],
  ])('of %j', (retryAfter, headers) => {
    expect(retryAfterHeader(retryAfter, nowMs)).toEqual(headers);
  });

  it.each(['date', 'date 5', 'date+', 'date+5s'])('is not %j', (text) => {
    expect(isRetryAfter(text)).toBe(false);
  });
});
