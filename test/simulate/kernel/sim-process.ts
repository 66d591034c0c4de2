import type { CancelTimer } from '#platform';
import { SystemClock } from '#platform';

import type { Chance } from '#shop';
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

/** What a turn of the event loop takes. */
const turnMsMax = 0.4;

/**
 * A process' clock: virtual time as its machine counts it, anchored to the database's time by the daemon's own
 * `ClockAnchor`. A jump is a machine that was suspended, or whose time was set.
 */
export class ProcessClock extends SystemClock {
  private offsetMs: number;
  private jumpedMs = 0;
  private readonly startedAt: number;

  constructor(
    private readonly process: SimProcess,
    private readonly timeline: Timeline,
    private readonly chance: Chance,
  ) {
    super();
    this.startedAt = timeline.now;
    this.offsetMs = timeline.now;
  }

  /** From now on this machine's time is further ahead; nobody tells it. */
  jump(ms: number): void {
    this.jumpedMs += ms;
  }

  override now(): number {
    return Math.round(this.offsetMs + this.monotonic());
  }

  override monotonic(): number {
    return this.timeline.now - this.startedAt + this.jumpedMs;
  }

  override after(delayMs: number, task: () => void): CancelTimer {
    return this.process.after(Math.max(1, delayMs), 'timer', task);
  }

  override soon(task: () => void): void {
    this.process.after(this.chance.unit() * turnMsMax, 'turn', task);
  }

  override sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = (): void => {
        cancel();
        reject(signal?.reason as Error);
      };
      const cancel = this.after(delayMs, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  override anchor(databaseNowMs: number, readAtMonotonicMs: number): number {
    const movedMs = this.offsetTo(databaseNowMs, readAtMonotonicMs);
    this.offsetMs += movedMs;
    return movedMs;
  }

  override offsetTo(databaseNowMs: number, readAtMonotonicMs: number): number {
    return databaseNowMs - readAtMonotonicMs - this.offsetMs;
  }
}
