import { publishDeadLetters } from '#intents';
import type { Clock, Database, Logger, Random } from '#platform';

import { stackOf } from '../loop/describe-failure.js';
import { nap } from '../nap.js';
import type { DeadLetterSink } from './dead-letter-sink.js';
import { deadLetterValueBytesMax } from './to-dead-letter-message.js';

/** How long an idle publisher waits before it looks for what other replicas left behind. */
export const deadLetterPollMs = 5_000;
export const deadLetterRetryMsMin = 500;
export const deadLetterRetryMsMax = 60_000;

export interface DeadLetterPublisherTools {
  readonly database: Database;
  readonly quarantineKey: Uint8Array;
  readonly sink: DeadLetterSink;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Moves what is in the dead-letter outbox to its topic, at least once, in the order of quarantine. */
export class DeadLetterPublisher {
  private readonly stopping = new AbortController();
  private waiting = new AbortController();
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly tools: DeadLetterPublisherTools) {}

  start(): void {
    this.work = this.publishAll();
  }

  /** Resolves when no send is open any more and the producer is closed. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.waiting.abort();
    await this.work;
    await this.tools.sink.close();
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
        const published = await this.publishSome();
        retryMs = 0;
        if (published === 0) await this.wait();
      } catch (error) {
        retryMs = this.nextRetryMs(retryMs);
        const message = error instanceof Error ? error.message : 'failed';
        this.tools.logger.warn({ error: message, stack: stackOf(error), retryMs }, 'dead letters were not published');
        await nap(this.tools.clock, retryMs, this.stopping.signal);
      }
    }
  }

  private publishSome(): Promise<number> {
    const { database, quarantineKey, sink } = this.tools;
    return publishDeadLetters(database, {
      bytesMax: deadLetterValueBytesMax,
      quarantineKey,
      send: (letters) => sink.send(letters),
    });
  }

  private async wait(): Promise<void> {
    if (this.stopping.signal.aborted) return;
    await nap(this.tools.clock, deadLetterPollMs, this.waiting.signal);
  }

  private nextRetryMs(lastMs: number): number {
    const ceiling = Math.max(deadLetterRetryMsMin, lastMs) * 3;
    const chosen = deadLetterRetryMsMin + this.tools.random.unit() * (ceiling - deadLetterRetryMsMin);
    return Math.min(deadLetterRetryMsMax, Math.round(chosen));
  }
}
