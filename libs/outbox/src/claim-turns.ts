import type { Priority } from '#intents/core';
import { PRIORITIES } from '#intents/core';

/** Of the lanes that are claimed each priority below the highest has this part at least, while as many of it are due. */
export const lowerShareMin = 1 / 8;
/** Lanes that a priority may be behind its share, at most: what it lacked for longer is not made up for. */
const behindMax = 512;

/**
 * Which priority a claim takes first. Nearly always the highest; a lower one that is behind its share by a whole claim goes first: it
 * never starves, however much of the others is due. Pure.
 */
export class ClaimTurns {
  private readonly behind = new Map<string, number>();

  /** @param limit lanes to be claimed @returns the priorities in the order in which their lanes are taken */
  next(program: string, limit: number): readonly Priority[] {
    const first = lower.find((priority) => (this.behind.get(keyOf(program, priority)) ?? 0) >= limit);
    return first === undefined ? PRIORITIES : [first, ...PRIORITIES.filter((priority) => priority !== first)];
  }

  /** @param taken how many lanes of each priority; absent: there was no room for any of it, null: none was due */
  took(program: string, taken: ReadonlyMap<Priority, number | null>): void {
    const total = [...taken.values()].reduce<number>((sum, count) => sum + (count ?? 0), 0);
    for (const priority of lower) {
      const key = keyOf(program, priority);
      const behind = (this.behind.get(key) ?? 0) + total * lowerShareMin - (taken.get(priority) ?? 0);
      this.behind.set(key, taken.get(priority) === null ? 0 : Math.min(behindMax, Math.max(0, behind)));
    }
  }
}

const [, ...lower] = PRIORITIES;
const keyOf = (program: string, priority: Priority): string => `${priority} ${program}`;
