import type { CancelTimer, Clock } from '#platform';

/** The same time, but everything that is waited for takes longer. */
export class SlowedClock implements Clock {
  constructor(
    private readonly clock: Clock,
    private readonly factor: number,
  ) {}

  now(): number {
    return this.clock.now();
  }

  monotonic(): number {
    return this.clock.monotonic();
  }

  after(delayMs: number, task: () => void): CancelTimer {
    return this.clock.after(delayMs * this.factor, task);
  }

  soon(task: () => void): void {
    this.clock.soon(task);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return this.clock.sleep(delayMs * this.factor, signal);
  }
}
