import type { Clock } from './clock/clock.js';
import { errorFields, type Logger } from './logger.js';
import type { Random } from './random.js';

/** Sleeps; false when `signal` cut it short. */
export function sleepUnlessAborted(clock: Clock, delayMs: number, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(delayMs, signal).then(
    () => true,
    () => false,
  );
}

const backgroundRetryMsMin = 500;
const backgroundRetryMsMax = 60_000;

interface BackgroundLoopOptions {
  /** Does some of the work. @returns after how many milliseconds to look again; 0: at once */
  readonly workOnce: () => Promise<number>;
  /** After the last turn. Must not reject. */
  readonly close: () => Promise<void>;
  /** Logged when it failed. */
  readonly failureMessage: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Does one piece of work again and again, with backoff and jitter while the broker or the database is away. */
export class BackgroundLoop {
  private readonly stopping = new AbortController();
  private waiting = new AbortController();
  private running: Promise<void> = Promise.resolve();
  /** Monotonic: since the first of the failures in a row; null: the last turn did not fail. */
  private failingSince: number | null = null;

  constructor(private readonly options: BackgroundLoopOptions) {}

  start(): void {
    this.running = this.workOn();
  }

  /** Resolves when nothing is under way any more and everything is closed. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.waiting.abort();
    await this.running;
    await this.options.close();
  }

  /** There is something to do now. */
  wake(): void {
    this.waiting.abort();
  }

  /** For how long every turn has failed, in milliseconds; 0: the last one did not. */
  get failingForMs(): number {
    return this.failingSince === null ? 0 : this.options.clock.monotonic() - this.failingSince;
  }

  private async workOn(): Promise<void> {
    for (let retryMs = 0; !this.stopping.signal.aborted;) {
      try {
        // Before looking, so that a nudge during the look is not lost.
        this.waiting = new AbortController();
        const waitMs = await this.options.workOnce();
        retryMs = 0;
        this.failingSince = null;
        if (waitMs > 0) await this.wait(waitMs);
      } catch (error) {
        this.failingSince ??= this.options.clock.monotonic();
        retryMs = this.nextRetryMs(retryMs);
        this.options.logger.warn({ ...errorFields(error), retryMs }, this.options.failureMessage);
        await sleepUnlessAborted(this.options.clock, retryMs, this.stopping.signal);
      }
    }
  }

  private async wait(waitMs: number): Promise<void> {
    if (this.stopping.signal.aborted) return;
    await sleepUnlessAborted(this.options.clock, waitMs, this.waiting.signal);
  }

  private nextRetryMs(lastMs: number): number {
    const ceiling = Math.max(backgroundRetryMsMin, lastMs) * 3;
    const chosen = backgroundRetryMsMin + this.options.random.unit() * (ceiling - backgroundRetryMsMin);
    return Math.min(backgroundRetryMsMax, Math.round(chosen));
  }
}
