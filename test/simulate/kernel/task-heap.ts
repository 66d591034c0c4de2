export interface TimedTask {
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
export class TaskHeap {
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
