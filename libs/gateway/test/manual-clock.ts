import type { CancelTimer, Clock } from '#platform';

interface Timer {
  readonly at: number;
  readonly task: () => void;
}

/** Time that stands still until it is moved. `now` and `monotonic` begin at the same value. */
export class ManualClock implements Clock {
  private readonly timers = new Set<Timer>();

  constructor(private time = 1_000_000) {}

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return this.time;
  }

  after(delayMs: number, task: () => void): CancelTimer {
    const timer = { at: this.time + delayMs, task };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  }

  soon(task: () => void): void {
    this.after(0, task);
  }

  async sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Moves time and runs what became due. */
  advance(byMs: number): void {
    this.time += byMs;
    for (const timer of this.timers) {
      if (timer.at > this.time) continue;
      this.timers.delete(timer);
      timer.task();
    }
  }

  get pendingTimers(): number {
    return this.timers.size;
  }
}
