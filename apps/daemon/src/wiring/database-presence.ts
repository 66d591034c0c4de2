import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';

import type { Clock } from '#platform';

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
