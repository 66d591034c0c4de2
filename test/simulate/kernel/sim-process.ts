import type { Cancel, Timeline } from './timeline.js';

/**
 * What can die and stand still: a process' memory and its continuations. A dead one never runs again; one that stands
 * still runs everything that became due meanwhile when it goes on, in any order.
 */
export class SimProcess {
  private dead = false;
  private stoppedUntil = 0;

  constructor(
    readonly name: string,
    private readonly timeline: Timeline,
  ) {}

  get isAlive(): boolean {
    return !this.dead;
  }

  /** Stopped by SIGSTOP, that is. */
  get isStopped(): boolean {
    return this.stoppedUntil > this.timeline.now;
  }

  kill(): void {
    this.dead = true;
  }

  stopFor(delayMs: number): void {
    this.stoppedUntil = Math.max(this.stoppedUntil, this.timeline.now + delayMs);
  }

  /** Runs `task` here after `delayMs`, if this process still lives, and not before it goes on. */
  after(delayMs: number, label: string, task: () => void): Cancel {
    let cancelled = false;
    let cancel: Cancel = () => undefined;
    const runNow = (): void => {
      if (this.dead || cancelled) return;
      if (this.isStopped) {
        cancel = this.timeline.after(this.stoppedUntil - this.timeline.now, `${this.name} ${label}`, runNow);
        return;
      }
      task();
    };
    cancel = this.timeline.after(delayMs, `${this.name} ${label}`, runNow);
    return () => {
      cancelled = true;
      cancel();
    };
  }
}
