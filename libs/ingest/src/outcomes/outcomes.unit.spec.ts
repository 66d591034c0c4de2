import { outcomeLookMs } from './outcomes.js';

describe('the next look for outcomes', () => {
  it('comes at once after a success, and the later the longer a transaction stays open', () => {
    const lookMs = outcomeLookMs();
    expect(lookMs('published')).toBe(0);
    expect(lookMs('caught-up')).toBeLessThan(lookMs('idle'));
    const waits = Array.from({ length: 9 }, () => lookMs('open'));
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 250, 250, 250]);
    expect(lookMs('idle')).toBe(100);
    expect(lookMs('open')).toBe(5);
  });
});
