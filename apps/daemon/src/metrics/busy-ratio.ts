import type { EventLoopUtilization } from 'node:perf_hooks';

import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';

/** Two that scrape must not halve each other's span. */
const spanMsMin = 5_000;

/** Which part of the last seconds a thread's event loop was not idle, from 0 to 1. */
export class BusyRatio {
  private last: EventLoopUtilization;
  private ratio = 0;

  /** @param read the thread's utilization since its start */
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

/** @param threads by the name of each */
export function registerBusyMetrics(registry: Registry, threads: ReadonlyMap<string, BusyRatio>): void {
  new Gauge({
    name: 'loyaltyd_worker_busy_ratio',
    help: 'Share of the last seconds in which the event loop of a worker, or of the main thread beside workers, was not idle',
    labelNames: ['worker'],
    registers: [registry],
    collect() {
      for (const [worker, busy] of threads) this.set({ worker }, busy.value);
    },
  });
}
