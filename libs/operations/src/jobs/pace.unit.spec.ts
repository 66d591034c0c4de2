import { budgetsMax, judgeCanary, RateBudgets } from './pace.js';

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

describe('the budgets of jobs', () => {
  let now: number;
  let budgets: RateBudgets;

  beforeEach(() => {
    now = 0;
    budgets = new RateBudgets({ monotonic: () => now });
  });

  it('let one go at once, then as many as the rate allows, of a pause no more than a second', () => {
    expect(budgets.of('r').available(10)).toBe(1);
    budgets.of('r').spend(1);
    now = 500;
    expect(budgets.of('r').available(10)).toBe(5);
    now = 60_000;
    expect(budgets.of('r').available(10)).toBe(10);
  });

  it('are kept while others have their turns: a slow one does not begin anew whenever it comes back', () => {
    expect(budgets.of('slow').available(0.1)).toBe(1);
    budgets.of('slow').spend(1);
    for (let other = 0; other < budgetsMax - 1; other += 1) budgets.of(`other ${other}`).available(1);
    now = 5_000;
    expect(budgets.of('slow').available(0.1)).toBe(0.5);
  });

  it('are bounded: of too many, whoever had a turn longest ago begins anew', () => {
    budgets.of('first').spend(1);
    budgets.of('second').spend(1);
    budgets.of('first').spend(1);
    for (let other = 0; other < budgetsMax - 1; other += 1) budgets.of(`other ${other}`);
    expect(budgets.of('first').available(1)).toBe(-1);
    expect(budgets.of('second').available(1)).toBe(1);
  });
});
