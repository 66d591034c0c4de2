import type { Turns } from './turns.js';

/** How long a lane comes back later when too many wait for the same: the longer, the longer they are too many. */
const deferMsMin = 500;
const deferMsMax = 60_000;

/**
 * Queues that may fill half of our hands together: more of them would keep out those that need none of it. Each crowd
 * keeps its own count of how long it has been too big, so that nobody comes back late for what others wait for.
 */
export class Crowd {
  /** How long a lane is put off that finds the crowd too big. */
  deferMs = deferMsMin;

  constructor(private readonly queues: readonly Turns[]) {}

  isTooBig(lanesWorthHolding: number): boolean {
    let waiting = 0;
    for (const { length } of this.queues) waiting += length;
    return waiting >= Math.max(1, lanesWorthHolding / 2);
  }

  /** A claim has brought new lanes: it is seen anew how big the crowd is. */
  reviewed(lanesWorthHolding: number): void {
    this.deferMs = this.isTooBig(lanesWorthHolding) ? Math.min(deferMsMax, 2 * this.deferMs) : deferMsMin;
  }
}
