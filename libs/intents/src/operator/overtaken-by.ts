import type { LockedLane } from './lock-lane.js';

/** How many later intents of the lane are settled. */
export function overtakenBy({ cursor }: LockedLane, seq: number): number {
  const behind = cursor.redo.filter((put) => put > seq).length;
  return Math.max(0, cursor.head - seq - 1 - behind) + cursor.ahead.filter((settled) => settled > seq).length;
}
