interface Entry {
  readonly at: number;
  readonly order: number;
  readonly task: () => void;
}

/** Virtual time: tasks in the order of their times. Few at once, so a sorted list will do. */
export class Agenda {
  private entries: Entry[] = [];
  private count = 0;

  constructor(public now: number) {}

  after(delayMs: number, task: () => void): void {
    this.count += 1;
    const entry = { at: this.now + delayMs, order: this.count, task };
    const index = this.entries.findLastIndex(({ at }) => at <= entry.at);
    this.entries.splice(index + 1, 0, entry);
  }

  /** Runs tasks until `endAt`, or until `isDone`, asked before each. */
  run(endAt: number, isDone: () => boolean): void {
    for (let next = this.entries[0]; next !== undefined && next.at <= endAt && !isDone(); next = this.entries[0]) {
      this.entries.shift();
      this.now = next.at;
      next.task();
    }
  }
}
