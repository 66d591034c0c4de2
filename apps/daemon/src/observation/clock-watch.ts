import type { OnApplicationShutdown } from '@nestjs/common';
import { Global, Injectable, Module } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';

import type { Clock } from '#platform';
import { errorFields } from '#platform';

import { Platform } from '../platform.module.js';
import { Storage } from '../storage/storage.module.js';

/** Asked every 10 s, and every second while in doubt: a database that is silent for so long does not answer. */
export const silentMsMax = 30_000;
/** What waited for the database needs so long to go on once it is back. */
export const steadyAfterMs = 60_000;

/** Whether the database answers, from what the anchoring of the clock hears of it. */
export class DatabasePresence {
  private heardAt: number;
  /** Since when it has answered whenever it was asked; null: it did not, the last time. */
  private since: number | null;

  /** It has just answered: nothing starts without it. */
  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {
    this.heardAt = this.since = clock.monotonic();
  }

  answered(): void {
    const now = this.clock.monotonic();
    if (!this.isThere) this.since = now;
    this.heardAt = now;
  }

  failed(): void {
    this.since = null;
  }

  /** It answers now. */
  get isThere(): boolean {
    return this.since !== null && this.clock.monotonic() - this.heardAt <= silentMsMax;
  }

  /** It has answered for a while: what still does not move does not wait for it. */
  get isSteady(): boolean {
    return this.isThere && this.clock.monotonic() - (this.since ?? Infinity) >= steadyAfterMs;
  }

  register(registry: Registry): void {
    const isThere = (): boolean => this.isThere;
    new Gauge({
      name: 'loyaltyd_database_up',
      help: 'Whether the database answers this process: 1 yes, 0 no',
      registers: [registry],
      collect() {
        this.set(isThere() ? 1 : 0);
      },
    });
  }
}

/** Reports to the metrics, the log and the probes how the clock is and whether the database answers; ends the anchoring. */
@Injectable()
export class ClockWatch implements OnApplicationShutdown {
  readonly presence: DatabasePresence;

  constructor(
    private readonly storage: Storage,
    { metrics, logger }: Platform,
  ) {
    const presence = new DatabasePresence(storage.clock);
    presence.register(metrics.registry);
    storage.clockAnchor.listen({
      measured: (offsetMs) => {
        presence.answered();
        metrics.clockMoved(offsetMs);
      },
      jumped: (offsetMs) => {
        metrics.clockJumped();
        logger.error(
          { offsetMs },
          'our clock and the database clock have jumped apart; nothing is claimed or recorded',
        );
      },
      anchored: () => {
        logger.info({}, 'the clock is anchored to the database again');
      },
      failed: (error) => {
        presence.failed();
        logger.warn(errorFields(error), 'the database clock could not be read');
      },
    });
    this.presence = presence;
  }

  onApplicationShutdown(): void {
    this.storage.clockAnchor.stop();
  }
}

/** The anchoring of the clock ends when nothing begins that needs the time. */
@Global()
@Module({ providers: [ClockWatch], exports: [ClockWatch] })
export class ClockModule {}
