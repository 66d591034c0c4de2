import { consumersBars } from './bars.js';
import { columns, lagRow } from './lag.js';
import type { Rebalance } from './rebalances.js';
import { happenings, rebalanceTable } from './rebalances.js';

const lagOf = (rates: readonly number[], lost = 0, doubled = 0) => ({
  unit: '',
  columns,
  rows: rates.map((rate, index) => lagRow(index + 1, [[rate, 1, 1]], index === 0 ? [9, lost, doubled] : [9, 0, 0])),
});

const rebalance = (happening: Rebalance['happening'], ...gaps: number[]): Rebalance => ({
  happening,
  gaps,
  ordinary: 50,
});
const [joins, stopped, killed] = happenings;
const short = [rebalance(joins, 900, 1_000), rebalance(stopped, 800, 2_000), rebalance(killed, 1_000, 12_000)];

describe('the bars of several consumers', () => {
  const held = (...tables: Parameters<typeof consumersBars>): boolean[] =>
    consumersBars(...tables).map(({ holds }) => holds);

  it('hold where nothing is lost, many are as good as some, and nobody waits long', () => {
    expect(held(lagOf([100, 200, 160]), rebalanceTable(short, 12))).toEqual([true, true, true, true, true]);
  });

  it.each([
    ['an event is lost', lagOf([1, 1, 1], 1), short, [false, true, true, true, true]],
    ['one is recorded twice', lagOf([1, 1, 1], 0, 1), short, [false, true, true, true, true]],
    ['many bring less than some', lagOf([100, 200, 159]), short, [true, false, true, true, true]],
    [
      'the worst of several is too long',
      lagOf([1, 1, 1]),
      [...short, rebalance(joins, 0, 10_010), rebalance(killed, 20_010)],
      [true, true, false, true, false],
    ],
    [
      'none was stopped',
      lagOf([1, 1, 1]),
      [rebalance(joins, 1), rebalance(killed, 1)],
      [true, true, true, false, true],
    ],
  ])('fail where %s', (_, lag, rebalances, expected) => {
    expect(held(lag, rebalanceTable(rebalances, 12))).toEqual(expected);
  });
});

describe('the table of rebalances', () => {
  it('shows the partition that waits longest, over all times, and beside it what all wait', () => {
    const { rows } = rebalanceTable([rebalance(joins, 1_000, 3_000), rebalance(joins, 500, 2_000)], 12);
    expect(rows[0]).toEqual({ label: 'one more joins', values: [3, 2.5, 1.5, 50, 2] });
  });
});
