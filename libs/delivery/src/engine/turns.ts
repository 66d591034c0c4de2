import type { LaneWork } from './lane-work.js';

/** Lanes that wait for their turn: a queue that gives up the front in constant time on average. */
export class Turns {
  private items: LaneWork[] = [];
  private front = 0;

  add(work: LaneWork): void {
    this.items.push(work);
  }

  peek(): LaneWork | undefined {
    return this.items[this.front];
  }

  take(): LaneWork | undefined {
    const work = this.items[this.front];
    if (work === undefined) return undefined;
    this.front += 1;
    if (this.front * 2 > this.items.length) {
      this.items = this.items.slice(this.front);
      this.front = 0;
    }
    return work;
  }

  get length(): number {
    return this.items.length - this.front;
  }
}
