import { setTimeout as sleepFor } from 'node:timers/promises';

/** A handle that ends a pending timer; calling it twice is harmless. */
export type CancelTimer = () => void;

/**
 * The only source of time for ingest and delivery. `now` is the time of the database, in epoch milliseconds; pods' own
 * clocks never decide a lease (design.md section 4). A simulation replaces it by a virtual clock.
 */
export abstract class Clock {
  /** Epoch milliseconds, anchored to Postgres, monotonic between anchorings. */
  abstract now(): number;
  /** Milliseconds from an arbitrary start; never jumps. For durations. */
  abstract monotonic(): number;
  /** Runs `task` once after `delayMs`. */
  abstract after(delayMs: number, task: () => void): CancelTimer;
  /** Runs `task` once, after the current round of input: what arrived together is handled together. */
  abstract soon(task: () => void): void;
  /** Resolves after `delayMs`; rejects with the signal's reason when aborted. */
  abstract sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** Longest delay one timer can carry (Node keeps it in 32 bits); longer sleeps are the caller's mistake. */
const timerDelayMsMax = 2_147_483_647;

/**
 * The clock of a real process: the monotonic clock plus an offset that anchors it to the database's time.
 * Before the first anchoring `now` is this machine's wall clock.
 */
export class SystemClock implements Clock {
  private anchorMs = Date.now() - performance.now();

  now(): number {
    return Math.round(this.anchorMs + performance.now());
  }

  monotonic(): number {
    return performance.now();
  }

  after(delayMs: number, task: () => void): CancelTimer {
    const timer = setTimeout(task, Math.min(Math.max(0, delayMs), timerDelayMsMax));
    return () => {
      clearTimeout(timer);
    };
  }

  soon(task: () => void): void {
    setImmediate(task);
  }

  async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    await sleepFor(Math.min(Math.max(0, delayMs), timerDelayMsMax), undefined, signal ? { signal } : {});
  }

  /**
   * Sets the offset from one reading of the database's clock.
   * @param databaseNowMs the database's `clock_timestamp()`, epoch milliseconds
   * @param readAtMonotonicMs this process' `monotonic()` in the middle of the round trip
   * @returns by how many milliseconds `now` moved
   */
  anchor(databaseNowMs: number, readAtMonotonicMs: number): number {
    const movedMs = this.offsetTo(databaseNowMs, readAtMonotonicMs);
    this.anchorMs += movedMs;
    return movedMs;
  }

  /** By how many milliseconds `now` is behind a reading of the database's clock, which is left as it is. */
  offsetTo(databaseNowMs: number, readAtMonotonicMs: number): number {
    return databaseNowMs - readAtMonotonicMs - this.anchorMs;
  }
}
