import { findSustained } from './sustained.js';

/** A machine that holds so many a second for a while, and so many for long. */
const machine = (most: number, mostLong = most) => {
  const tried: string[] = [];
  const hold = async (rate: number, isWhole: boolean): Promise<{ readonly holds: boolean; readonly rate: number }> => {
    tried.push(`${Math.round(rate)}${isWhole ? ' whole' : ''}`);
    return { holds: rate <= (isWhole ? mostLong : most), rate };
  };
  return { tried, hold };
};
const search = { low: 2_000, high: 4_000, steps: 3 };

describe('the rate that is sustained', () => {
  it('is bisected in short tries, and then shown over the whole window', async () => {
    const { tried, hold } = machine(3_300);
    expect(await findSustained(hold, search)).toEqual({ holds: true, rate: 3_250 });
    expect(tried).toEqual(['3000', '3500', '3250', '3250 whole']);
  });

  it('is lower where it holds for a while only', async () => {
    const { tried, hold } = machine(3_300, 2_800);
    expect((await findSustained(hold, search)).rate).toBeCloseTo(2_762.5);
    expect(tried).toEqual(['3000', '3500', '3250', '3250 whole', '2763 whole']);
  });

  it('is not made up where none is', async () => {
    await expect(findSustained(machine(0).hold, search)).rejects.toThrow('no rate down to');
  });
});
