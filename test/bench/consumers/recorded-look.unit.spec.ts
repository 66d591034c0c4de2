import { recordedAt } from './recorded-look.js';

describe('when an event was seen to be recorded', () => {
  const looks = [0, 0, 3, 3, 7].map((next, index) => ({ at: 100 * index, nextOffsets: [9, next] }));

  it.each([
    [0, 200],
    [2, 200],
    [3, 400],
    [6, 400],
    [7, NaN],
  ])('offset %d: %d', (offset, at) => {
    expect(recordedAt(looks, { partition: 1, offset })).toBe(at);
  });

  it('is never for a partition that nobody knows, nor without looks', () => {
    expect([recordedAt(looks, { partition: 5, offset: 0 }), recordedAt([], { partition: 0, offset: 0 })]).toEqual([
      NaN,
      NaN,
    ]);
  });
});
