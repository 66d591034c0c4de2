import { budgetsMax, RateBudgets } from './rate-budgets.js';

describe('the budgets of replays', () => {
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
