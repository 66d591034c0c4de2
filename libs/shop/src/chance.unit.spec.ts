import { Chance } from './chance.js';

const draw = (chance: Chance, count: number): number[] => Array.from({ length: count }, () => chance.unit());

describe('chance', () => {
  it('is the same for the same seed and another for another', () => {
    expect(draw(new Chance(7), 20)).toEqual(draw(new Chance(7), 20));
    expect(draw(new Chance(7), 20)).not.toEqual(draw(new Chance(8), 20));
  });

  it('has streams that do not depend on what was drawn before', () => {
    const drawn = new Chance(7);
    draw(drawn, 5);
    expect(draw(drawn.fork('traffic'), 5)).toEqual(draw(new Chance(7).fork('traffic'), 5));
    expect(draw(new Chance(7).fork('nemesis'), 5)).not.toEqual(draw(new Chance(7).fork('traffic'), 5));
  });

  it('chooses as often as the weights say, and never what weighs nothing', () => {
    const chance = new Chance(3);
    const names = Array.from({ length: 4_000 }, () => chance.weighted({ often: 3, seldom: 1, never: 0 }));
    const often = names.filter((name) => name === 'often').length;
    expect(names).not.toContain('never');
    expect(often).toBeGreaterThan(2_850);
    expect(often).toBeLessThan(3_150);
  });

  it('shuffles without losing anything', () => {
    const items = Array.from({ length: 50 }, (_, index) => index);
    const shuffled = new Chance(5).shuffled(items);
    expect(shuffled).not.toEqual(items);
    expect(shuffled.toSorted((one, other) => one - other)).toEqual(items);
  });
});
