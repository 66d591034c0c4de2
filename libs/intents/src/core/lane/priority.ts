import type { Operation } from '../operation.js';
import { needsPass } from '../operation.js';

/** How soon a lane is to be claimed: 0 high, 1 normal, 2 low. A lane has the highest that waits in it; within a lane nothing moves. */
export type Priority = 0 | 1 | 2;

/** The highest first. Written into rows and an index: few, and a number never changes its meaning. */
export const PRIORITIES: readonly Priority[] = [0, 1, 2];

/** Where the programs file says nothing: somebody stands at a till for what needs a pass, also where that is asked for first. */
export function defaultPriority(operation: Operation): Priority {
  return needsPass(operation) ? 0 : 1;
}
