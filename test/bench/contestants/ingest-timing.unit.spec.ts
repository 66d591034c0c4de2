import type { Commit } from './contestant.js';
import { countAfter } from './ingest-timing.js';

const commit = (at: number, count: number, cpuSeconds: number): Commit => ({ at, count, cpuSeconds, statements: at });

describe('what several consumers did together', () => {
  it('counts from the given time on until the last commit of all', () => {
    const figures = countAfter(1_000, [
      [commit(500, 10, 1), commit(900, 10, 1.5), commit(1_500, 20, 2), commit(2_000, 20, 3)],
      [commit(1_200, 30, 0.5), commit(3_000, 30, 1)],
    ]);
    expect(figures).toEqual({ done: 100, altogether: 120, seconds: 2, cpuSeconds: 2.5, statements: 4_100 });
  });

  it('is nothing where one of them did nothing: the others are no group', () => {
    expect(() => countAfter(1_000, [[commit(1_500, 10, 1)], [commit(900, 10, 1)]])).toThrow('recorded nothing');
  });
});
