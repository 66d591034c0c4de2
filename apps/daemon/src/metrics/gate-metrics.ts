import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';

import type { BreakerStage, GateState } from '#delivery';

/** 0: calls flow; 1: half-open, a call at a time finds out; 2: open, none. */
const breakerValues: Readonly<Record<BreakerStage, number>> = { closed: 0, trying: 1, probing: 1, open: 2 };

/** Each program's limit and breaker (contracts.md section 8) of this replica, read when they are scraped. */
export function registerGateMetrics(registry: Registry, gates: () => ReadonlyMap<string, GateState>): void {
  new Gauge({
    name: 'loyaltyd_partner_limit',
    help: 'Calls to the partner that this replica may have under way at once; adapts within the configured limits',
    labelNames: ['program'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [program, { limit }] of gates()) this.set({ program }, limit);
    },
  });
  new Gauge({
    name: 'loyaltyd_breaker_state',
    help: 'Circuit breaker of this replica: 0 closed, 1 half-open, 2 open',
    labelNames: ['program'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [program, { breaker }] of gates()) this.set({ program }, breakerValues[breaker]);
    },
  });
}
