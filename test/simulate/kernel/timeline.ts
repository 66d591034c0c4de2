import type { Chance } from './chance.js';
import { TaskHeap } from './task-heap.js';
import type { Trace } from './trace.js';

export type Cancel = () => void;

/** Tasks at one and the same moment, at most: more of them never let time pass. */
const tasksAtOnceMax = 20_000;

/**
 * Virtual time and the one scheduler of a world. Nothing happens but by a task; what a task's promises lead to is run
 * to its end before the next task, so that the order of everything follows from the seed.
 */
export class Timeline {
  private readonly heap = new TaskHeap();
  private tasksAtOnce = 0;

  constructor(
    /** Epoch ms, with fractions. */
    public now: number,
    private readonly chance: Chance,
    readonly trace: Trace,
  ) {}

  /** Runs `task` after `delayMs`; what is due at the same moment happens in any order. */
  after(delayMs: number, label: string, task: () => void): Cancel {
    const at = this.now + Math.max(0, delayMs);
    const entry = { at, tie: this.chance.unit(), label, task, isCancelled: false };
    this.heap.push(entry);
    return () => {
      entry.isCancelled = true;
    };
  }

  /** Runs tasks until `isOver`, asked after each, or until the time `until`, to which it then moves. */
  async run(until: number, isOver: () => boolean = () => false): Promise<void> {
    for (let next = this.heap.peek(); next !== undefined && next.at <= until; next = this.heap.peek()) {
      this.heap.pop();
      if (next.isCancelled) continue;
      this.tasksAtOnce = next.at > this.now ? 0 : this.tasksAtOnce + 1;
      if (this.tasksAtOnce > tasksAtOnceMax) throw new Error(`time stands still at ${next.label}`);
      this.now = Math.max(this.now, next.at);
      this.trace.note(this.now, next.label);
      next.task();
      await settled();
      if (isOver()) return;
    }
    this.now = Math.max(this.now, until);
  }
}

/** Resolves when no promise can go on by itself. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
