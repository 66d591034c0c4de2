import type { IntentCount } from '#intents';

import { rateSpanMsMin, RateWindow, rateWindowMs } from './rate-window.js';

function counts(recorded: number, delivered: number, operation: IntentCount['operation'] = 'transaction'): IntentCount {
  const byStatus = { waiting: 0, pending: recorded - delivered, unknown: 0, delivered, parked: 0, cancelled: 0 };
  return { program: 'tea', operation, recorded, byStatus };
}

describe('rates', () => {
  it('are the difference of two looks, summed over the operations of a program', () => {
    const window = new RateWindow();
    window.add(0, [counts(100, 50), counts(10, 0, 'issue')]);
    window.add(10_000, [counts(200, 70), counts(30, 30, 'issue')]);
    expect(window.rates()).toEqual([{ program: 'tea', recordedPerSecond: 12, settledPerSecond: 5 }]);
  });

  it('look back so far and no further', () => {
    const window = new RateWindow();
    window.add(0, [counts(0, 0)]);
    window.add(rateWindowMs, [counts(30, 0)]);
    expect(window.rates()).toMatchObject([{ recordedPerSecond: 1 }]);
    window.add(2 * rateWindowMs, [counts(30, 0)]);
    expect(window.rates()).toMatchObject([{ recordedPerSecond: 0 }]);
  });

  it('are not told from one look, nor from two at about the same time', () => {
    const window = new RateWindow();
    expect(window.rates()).toEqual([]);
    window.add(0, [counts(1, 1)]);
    window.add(rateSpanMsMin - 1, [counts(9, 9)]);
    expect(window.rates()).toEqual([]);
  });

  it('begin at nothing for a program that is new, and never run backwards', () => {
    const window = new RateWindow();
    window.add(0, [counts(10, 10), { ...counts(10, 10), program: 'coffee' }]);
    window.add(1_000, [counts(0, 0), { ...counts(20, 10), program: 'coffee' }, { ...counts(5, 0), program: 'new' }]);
    expect(window.rates()).toEqual([
      { program: 'tea', recordedPerSecond: 0, settledPerSecond: 0 },
      { program: 'coffee', recordedPerSecond: 10, settledPerSecond: 0 },
      { program: 'new', recordedPerSecond: 5, settledPerSecond: 0 },
    ]);
  });
});
