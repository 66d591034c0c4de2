import type { Priority } from '#intents/core';
import { PRIORITIES } from '#intents/core';

import { ClaimTurns } from './claim-turns.js';

/** Lanes taken of each priority by claims of these sizes; so many are due of each. */
function takenBy(sizes: readonly number[], due: readonly number[]): number[] {
  const turns = new ClaimTurns();
  const left = [...due];
  const counts = [0, 0, 0];
  for (const size of sizes) {
    const taken = new Map<Priority, number | null>();
    let room = size;
    for (const priority of turns.next('p', size)) {
      if (room === 0) break;
      const count = Math.min(room, left[priority]!);
      taken.set(priority, count === 0 ? null : count);
      room -= count;
      left[priority]! -= count;
      counts[priority]! += count;
    }
    turns.took('p', taken);
  }
  return counts;
}

const enough = 1_000_000;
const claimsOf = (size: number, count = 800): number[] => Array<number>(count).fill(size);

describe('which priority a claim takes first', () => {
  it.each([1, 4, 64, 256])('is the highest, but for an eighth of what is claimed for each lower one, by %d', (size) => {
    const [high, normal, low] = takenBy(claimsOf(size), [enough, enough, enough]).map((lanes) => lanes / size);
    expect(Math.abs(high! - 600)).toBeLessThanOrEqual(3);
    expect(Math.abs(normal! - 100)).toBeLessThanOrEqual(2);
    expect(Math.abs(low! - 100)).toBeLessThanOrEqual(2);
  });

  it('keeps their share among claims of any size', () => {
    const sizes = Array.from({ length: 8_000 }, (_, index) => 2 ** (index % 6));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const [, normal, low] = takenBy(sizes, [enough, enough, enough]);
    expect(Math.abs(normal! - total / 8)).toBeLessThanOrEqual(64);
    expect(Math.abs(low! - total / 8)).toBeLessThanOrEqual(64);
  });

  it('leaves nothing to make up for to what was claimed alone, or was not due', () => {
    const turns = new ClaimTurns();
    for (let index = 0; index < 100; index += 1) {
      turns.took(
        'p',
        new Map([
          [0, null],
          [1, 8],
          [2, null],
        ] as const),
      );
      expect(turns.next('p', 8)).toEqual(PRIORITIES);
    }
  });

  it('is each program\u2019s own', () => {
    const turns = new ClaimTurns();
    turns.took('p', new Map([[0, 64]] as const));
    expect(turns.next('p', 8)[0]).toBe(1);
    expect(turns.next('q', 8)[0]).toBe(0);
  });
});
