import type { Chance } from './chance.js';

interface Entry {
  readonly at: number;
  /** Random: what is due at the same moment happens in any order. */
  readonly tie: number;
  readonly task: () => void;
  isCancelled: boolean;
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at === other.at ? one.tie < other.tie : one.at < other.at;
}

/** Virtual time: a heap of tasks. Nothing happens but by a task; time jumps from one to the next. */
export class Agenda {
  private readonly heap: Entry[] = [];

  constructor(
    public now: number,
    private readonly chance: Chance,
  ) {}

  /** Runs `task` after `delayMs`; the returned function takes it off again. */
  after(delayMs: number, task: () => void): () => void {
    const entry: Entry = { at: this.now + Math.max(0, delayMs), tie: this.chance.unit(), task, isCancelled: false };
    this.push(entry);
    return () => {
      entry.isCancelled = true;
    };
  }

  /** Runs tasks until `isDone`, asked after each of them, or until `endAt`. */
  run(endAt: number, isDone: () => boolean): void {
    for (let next = this.heap[0]; next !== undefined && next.at <= endAt; next = this.heap[0]) {
      this.pop();
      if (next.isCancelled) continue;
      this.now = Math.max(this.now, next.at);
      next.task();
      if (isDone()) return;
    }
  }

  private push(entry: Entry): void {
    const { heap } = this;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(entry, heap[parent] ?? entry)) break;
      this.swap(index, parent);
      index = parent;
    }
  }

  private pop(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let index = 0; ;) {
      const child = this.firstOf(2 * index + 1, 2 * index + 2);
      const below = heap[child];
      if (below === undefined || !isBefore(below, last)) return;
      this.swap(index, child);
      index = child;
    }
  }

  private firstOf(left: number, right: number): number {
    const [one, other] = [this.heap[left], this.heap[right]];
    return one !== undefined && other !== undefined && isBefore(other, one) ? right : left;
  }

  private swap(one: number, other: number): void {
    const [a, b] = [this.heap[one], this.heap[other]];
    if (a === undefined || b === undefined) return;
    this.heap[one] = b;
    this.heap[other] = a;
  }
}
