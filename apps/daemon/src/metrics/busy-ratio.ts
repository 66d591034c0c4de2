import type { EventLoopUtilization } from 'node:perf_hooks';

import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';

/** Two that scrape must not halve each other's span. */
const spanMsMin = 5_000;

/** Which part of the last seconds the event loop was not idle, from 0 to 1. */
export class BusyRatio {
  private last: EventLoopUtilization;
  private ratio = 0;

  /** @param read the event loop's utilization since its start */
  constructor(private readonly read: () => EventLoopUtilization) {
    this.last = read();
  }

  /** Since it was asked last, or for 5 s. */
  get value(): number {
    const now = this.read();
    const active = now.active - this.last.active;
    const span = active + now.idle - this.last.idle;
    if (span < spanMsMin) return this.ratio;
    this.last = now;
    this.ratio = active / span;
    return this.ratio;
  }
}

export function registerBusyMetrics(registry: Registry, busy: BusyRatio): void {
  new Gauge({
    name: 'loyaltyd_busy_ratio',
    help: 'Share of the last seconds in which the event loop was not idle',
    registers: [registry],
    collect() {
      this.set(busy.value);
    },
  });
}
