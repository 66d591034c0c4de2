import { dueBy } from './waves.js';

/** Events of each second. */
function rates(seconds: number): number[] {
  return Array.from({ length: seconds }, (_, second) => Math.round(dueBy(second + 1, 120) - dueBy(second, 120)));
}

describe('waves', () => {
  it('are low, high and low again, minute after minute', () => {
    const minute = rates(60);
    expect(new Set(minute.slice(0, 10))).toEqual(new Set([10]));
    expect(new Set(minute.slice(10, 40))).toEqual(new Set([120]));
    expect(new Set(minute.slice(40))).toEqual(new Set([10]));
    expect(rates(120).slice(60)).toEqual(minute);
  });

  it('add up to the last event', () => {
    expect(Math.round(dueBy(600, 120))).toBe(10 * (10 * 10 + 30 * 120 + 20 * 10));
  });
});
