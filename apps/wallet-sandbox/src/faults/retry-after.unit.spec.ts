import { isRetryAfter, retryAfterHeader } from './retry-after.js';

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
