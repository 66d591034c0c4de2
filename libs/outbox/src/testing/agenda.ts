/** Seeded pseudo-random numbers (mulberry32): the same seed gives the same run. */
export class Chance {
  constructor(private state: number) {}

  /** Uniform in [0, 1). */
  unit(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.unit() * (to - from + 1));
  }

  happens(probability: number): boolean {
    return this.unit() < probability;
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.unit() * items.length)];
  }
}

/** What goes wrong just now. Probabilities are per call. */
export interface Trouble {
  /** A database call fails: before its commit, after it, or it commits after it has failed. */
  database: number;
  /** A partner's answer is not a success. */
  partner: number;
  /** A process stands still for seconds before it handles what has arrived, or before a request leaves it. */
  stall: number;
  isDatabaseAway: boolean;
  isPartnerAway: boolean;
  /** A lane whose steps the database refuses as defective, whatever goes with them. */
  poisonedLane: number | null;
}

export function noTrouble(): Trouble {
  return { database: 0, partner: 0, stall: 0, isDatabaseAway: false, isPartnerAway: false, poisonedLane: null };
}

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
