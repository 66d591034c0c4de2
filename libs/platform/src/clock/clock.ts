/** A handle that ends a pending timer; calling it twice is harmless. */
export type CancelTimer = () => void;

/**
 * The only source of time for ingest and delivery. `now` is the time of the database, in epoch milliseconds; pods' own
 * clocks never decide a lease (design.md section 4). A simulation replaces it by a virtual clock.
 */
export interface Clock {
  /** Epoch milliseconds, anchored to Postgres, monotonic between anchorings. */
  now(): number;
  /** Milliseconds from an arbitrary start; never jumps. For durations. */
  monotonic(): number;
  /** Runs `task` once after `delayMs`. */
  after(delayMs: number, task: () => void): CancelTimer;
  /** Runs `task` once, after the current round of input: what arrived together is handled together. */
  soon(task: () => void): void;
  /** Resolves after `delayMs`; rejects with the signal's reason when aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}
