import type { CancelTimer, Clock } from '#platform';

interface Timer {
  readonly at: number;
  readonly task: () => void;
}

/** A clock that a test moves by hand. */
export class HandClock implements Clock {
  private time = 1_000_000;
  private timers = new Set<Timer>();

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return this.time;
  }

  /** Timers that are waiting. */
  get waiting(): number {
    return this.timers.size;
  }

  after(delayMs: number, task: () => void): CancelTimer {
    const timer = { at: this.time + delayMs, task };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  soon(task: () => void): void {
    this.after(0, task);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.after(delayMs, resolve);
      signal?.addEventListener('abort', () => {
        cancel();
        reject(new Error('aborted'));
      });
    });
  }

  /** Lets time pass; what is due on the way happens in its order. */
  async pass(ms: number): Promise<void> {
    const end = this.time + ms;
    for (let next = this.next(end); next !== undefined; next = this.next(end)) {
      this.time = next.at;
      this.timers.delete(next);
      next.task();
      await settled();
    }
    this.time = end;
    await settled();
  }

  private next(end: number): Timer | undefined {
    return [...this.timers].filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at)[0];
  }
}

/** What only waited for promises has happened. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}
