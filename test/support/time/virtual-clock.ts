import type { CancelTimer, Clock } from '#platform';

interface Timer {
  readonly at: number;
  readonly task: () => void;
}

/** Time that passes only when told to. `now` and `monotonic` begin at the same value. */
export class VirtualClock implements Clock {
  private readonly timers = new Set<Timer>();

  constructor(private time = 1_000_000) {}

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return this.time;
  }

  /** Timers that neither ran nor were cancelled. */
  get pendingTimers(): number {
    return this.timers.size;
  }

  after(delayMs: number, task: () => void): CancelTimer {
    const timer = { at: this.time + delayMs, task };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  }

  soon(task: () => void): void {
    this.after(0, task);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.after(delayMs, resolve);
      const give = (): void => {
        cancel();
        reject(signal?.reason as Error);
      };
      if (signal?.aborted === true) give();
      else signal?.addEventListener('abort', give, { once: true });
    });
  }

  /** Runs what is due on the way, each at its time, letting what it started go on. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    await settle();
    for (let next = this.nextUntil(end); next !== undefined; next = this.nextUntil(end)) {
      this.timers.delete(next);
      this.time = next.at;
      next.task();
      await settle();
    }
    this.time = end;
  }

  private nextUntil(end: number): Timer | undefined {
    return [...this.timers].filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at)[0];
  }
}

/** Lets every promise that can settle do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
