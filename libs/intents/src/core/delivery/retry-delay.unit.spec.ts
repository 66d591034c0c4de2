import fc from 'fast-check';

import { retryAfterMsMax, retryDelayMs, retryDelayMsMax, retryDelayMsMin } from './retry-delay.js';

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const lastDelayMs = fc.integer({ min: 0, max: retryAfterMsMax });

describe('retryDelayMs', () => {
  it('lies between the minimum and three times the last delay, cut at the maximum', () => {
    fc.assert(
      fc.property(lastDelayMs, chance, (last, luck) => {
        const delayMs = retryDelayMs({ lastDelayMs: last, retryAfterMs: null, chance: luck });
        expect(Number.isInteger(delayMs)).toBe(true);
        expect(delayMs).toBeGreaterThanOrEqual(retryDelayMsMin);
        expect(delayMs).toBeLessThanOrEqual(Math.min(retryDelayMsMax, 3 * Math.max(retryDelayMsMin, last)));
      }),
    );
  });

  it('reaches both ends of its range', () => {
    expect(retryDelayMs({ lastDelayMs: 0, retryAfterMs: null, chance: 0 })).toBe(retryDelayMsMin);
    expect(retryDelayMs({ lastDelayMs: 0, retryAfterMs: null, chance: 0.999_999 })).toBe(3 * retryDelayMsMin);
    expect(retryDelayMs({ lastDelayMs: 200_000, retryAfterMs: null, chance: 0.999_999 })).toBe(retryDelayMsMax);
  });

  it('is spread: two chances give two delays', () => {
    const delays = [0.2, 0.4, 0.6, 0.8].map((luck) =>
      retryDelayMs({ lastDelayMs: 10_000, retryAfterMs: null, chance: luck }),
    );
    expect(new Set(delays).size).toBe(4);
  });

  it('is only ever lengthened by Retry-After, which is cut at an hour', () => {
    fc.assert(
      fc.property(lastDelayMs, fc.integer({ min: -1_000, max: 10 * retryAfterMsMax }), chance, (last, asked, luck) => {
        const own = retryDelayMs({ lastDelayMs: last, retryAfterMs: null, chance: luck });
        const delayMs = retryDelayMs({ lastDelayMs: last, retryAfterMs: asked, chance: luck });
        expect(delayMs).toBe(Math.max(own, Math.min(asked, retryAfterMsMax)));
      }),
    );
  });

  it('comes back from an hour of Retry-After to our own maximum', () => {
    expect(retryDelayMs({ lastDelayMs: retryAfterMsMax, retryAfterMs: null, chance: 0.999_999 })).toBe(retryDelayMsMax);
  });
});
