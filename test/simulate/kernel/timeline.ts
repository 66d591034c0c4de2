import { createHash } from 'node:crypto';

import type { Chance } from '#shop';

const flushChars = 32_768;

/** Everything that happens in a world, in order, as a hash; the same seed must give the same. */
export class Trace {
  private readonly hash = createHash('sha256');
  private pending = '';
  private count = 0;

  /** @param print gets every line; null: nobody reads them */
  constructor(private readonly print: ((line: string) => void) | null) {}

  note(at: number, text: string): void {
    const line = `${at.toFixed(3)} ${text}\n`;
    this.count += 1;
    this.pending += line;
    this.print?.(line);
    if (this.pending.length > flushChars) this.flush();
  }

  get lines(): number {
    return this.count;
  }

  digest(): string {
    this.flush();
    return this.hash.copy().digest('hex').slice(0, 16);
  }

  private flush(): void {
    this.hash.update(this.pending);
    this.pending = '';
  }
}

interface TimedTask {
  readonly at: number;
  /** Decides among tasks of the same time. */
  readonly tie: number;
  readonly label: string;
  readonly task: () => void;
  isCancelled: boolean;
}

function isBefore(one: TimedTask, other: TimedTask): boolean {
  return one.at === other.at ? one.tie < other.tie : one.at < other.at;
}

/** A binary heap: the earliest task first. */
class TaskHeap {
  private readonly items: TimedTask[] = [];

  peek(): TimedTask | undefined {
    return this.items[0];
  }

  push(task: TimedTask): void {
    const { items } = this;
    let index = items.push(task) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(task, items[parent] ?? task)) return;
      this.swap(index, parent);
      index = parent;
    }
  }

  pop(): void {
    const { items } = this;
    const last = items.pop();
    if (last === undefined || items.length === 0) return;
    items[0] = last;
    for (let index = 0; ;) {
      const child = this.firstOf(2 * index + 1, 2 * index + 2);
      const below = items[child];
      if (below === undefined || !isBefore(below, last)) return;
      this.swap(index, child);
      index = child;
    }
  }

  private firstOf(left: number, right: number): number {
    const [one, other] = [this.items[left], this.items[right]];
    return one !== undefined && other !== undefined && isBefore(other, one) ? right : left;
  }

  private swap(one: number, other: number): void {
    const [a, b] = [this.items[one], this.items[other]];
    if (a === undefined || b === undefined) return;
    this.items[one] = b;
    this.items[other] = a;
  }
}

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
