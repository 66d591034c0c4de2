import type { Clock, Logger, Random } from '#platform';

import { stackOf } from '../loop/describe-failure.js';
import { nap } from '../nap.js';

export const publishRetryMsMin = 500;
export const publishRetryMsMax = 60_000;

export interface PublishLoopOptions {
  /** Publishes some of what there is. @returns after how many milliseconds to look again; 0: at once */
  readonly publishSome: () => Promise<number>;
  /** After the last turn. Must not reject. */
  readonly close: () => Promise<void>;
  /** Logged when publishing failed. */
  readonly complaint: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Publishes for ever, with backoff and jitter while the broker or the database is away. */
export class PublishLoop {
  private readonly stopping = new AbortController();
  private waiting = new AbortController();
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly options: PublishLoopOptions) {}

  start(): void {
    this.work = this.publishAll();
  }

  /** Resolves when no send is open any more and everything is closed. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.waiting.abort();
    await this.work;
    await this.options.close();
  }

  /** There is something to publish now. */
  nudge(): void {
    this.waiting.abort();
  }

  private async publishAll(): Promise<void> {
    for (let retryMs = 0; !this.stopping.signal.aborted;) {
      try {
        // Before looking, so that a nudge during the look is not lost.
        this.waiting = new AbortController();
        const waitMs = await this.options.publishSome();
        retryMs = 0;
        if (waitMs > 0) await this.wait(waitMs);
      } catch (error) {
        retryMs = this.nextRetryMs(retryMs);
        const message = error instanceof Error ? error.message : 'failed';
        this.options.logger.warn({ error: message, stack: stackOf(error), retryMs }, this.options.complaint);
        await nap(this.options.clock, retryMs, this.stopping.signal);
      }
    }
  }

  private async wait(waitMs: number): Promise<void> {
    if (this.stopping.signal.aborted) return;
    await nap(this.options.clock, waitMs, this.waiting.signal);
  }

  private nextRetryMs(lastMs: number): number {
    const ceiling = Math.max(publishRetryMsMin, lastMs) * 3;
    const chosen = publishRetryMsMin + this.options.random.unit() * (ceiling - publishRetryMsMin);
    return Math.min(publishRetryMsMax, Math.round(chosen));
  }
}
