import { describeMemory } from './describe-memory.js';

describe('the memory of a run', () => {
  it('is told by fifths, and grows from the second to the last', () => {
    const samples = [10, 50, 100, 100, 110, 105, 400, 120, 110, 130];
    expect(describeMemory(samples)).toEqual({ fifths: [30, 100, 107.5, 260, 120], max: 400, growth: 1.2 });
  });

  it('shows no growth where there are too few samples', () => {
    expect(describeMemory([10]).growth).toBeNaN();
  });
});
