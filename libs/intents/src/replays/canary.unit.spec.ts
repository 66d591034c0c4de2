import { judgeCanary } from './canary.js';

describe('a canary', () => {
  it.each([
    ['nothing was begun: one', [0, 0, 0], 1],
    ['the first is under way: wait', [1, 0, 0], 0],
    ['the first went well: ten more', [1, 1, 0], 10],
    ['some of the ten are begun: the rest of them', [4, 2, 0], 7],
    ['the ten are under way: wait', [11, 10, 0], 0],
    ['one of them stood still and goes on now: wait', [12, 10, 0], 0],
    ['one of the ten failed: all the rest', [11, 11, 1], Infinity],
    ['half of the rest fail: all the rest', [100, 80, 40], Infinity],
  ] as const)('%s', (_when, [begun, settled, failed], allowance) => {
    expect(judgeCanary({ begun, settled, failed })).toEqual({ kind: 'go', allowance });
  });

  it.each([
    ['the first failed', [1, 1, 1]],
    ['two of the ten failed', [11, 8, 2]],
    ['more than half of the rest fail', [100, 80, 41]],
  ] as const)('stops when %s', (_when, [begun, settled, failed]) => {
    expect(judgeCanary({ begun, settled, failed })).toMatchObject({ kind: 'stop' });
  });
});
