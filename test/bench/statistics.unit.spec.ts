import { median, percentile, ratioOf, rounded, spreadOf } from './statistics.js';

describe('the statistics of the benchmark', () => {
  it.each([
    [[3], 3],
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
  ])('the median of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('has no median of nothing', () => {
    expect(median([])).toBeNaN();
  });

  it.each([
    [0.5, 20],
    [0.51, 30],
    [0.99, 40],
    [1, 40],
    [0, 10],
  ])('%d of four values do not exceed %d', (share, expected) => {
    expect(percentile([40, 10, 30, 20], share)).toBe(expected);
  });

  it('has no percentile of nothing, nor where a value is missing', () => {
    expect([percentile([], 0.5), percentile([1, NaN], 0.5)]).toEqual([NaN, NaN]);
  });

  it('keeps four digits', () => {
    expect([rounded(12_345.6), rounded(1.23456), rounded(0.0123456), rounded(0)]).toEqual([12_346, 1.235, 0.01235, 0]);
  });

  it('shows the spread beside the median', () => {
    expect(spreadOf([10, 30, 20])).toEqual({ median: 20, min: 10, max: 30, rounds: [10, 30, 20] });
  });

  it('compares round by round', () => {
    expect(ratioOf([10, 40], [5, 10])).toEqual({ median: 3, min: 2, max: 4, rounds: [2, 4] });
  });
});
