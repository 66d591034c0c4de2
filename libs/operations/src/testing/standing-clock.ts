import type { CancelTimer, Clock } from '#platform';

/** A clock that moves only when somebody sleeps. */
export class StandingClock implements Clock {
  constructor(private at: number) {}

  now(): number {
    return this.at;
  }

  monotonic(): number {
    return this.at;
  }

  after(): CancelTimer {
    throw new Error('nobody sets timers here');
  }

  soon(task: () => void): void {
    task();
  }

  sleep(delayMs: number): Promise<void> {
    this.at += delayMs;
    return Promise.resolve();
  }

  moveTo(at: number): void {
    this.at = Math.max(this.at, at);
  }
}
