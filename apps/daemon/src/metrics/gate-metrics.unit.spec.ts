import { Registry } from 'prom-client';

import type { GateState } from '#delivery';

import { registerGateMetrics } from './gate-metrics.js';

describe('the metrics of the gates', () => {
  it('show each program as it is at the scrape, and none that has left', async () => {
    const registry = new Registry();
    const gates = new Map<string, GateState>([
      ['tea', { limit: 8, breaker: 'closed' }],
      ['coffee', { limit: 32, breaker: 'probing' }],
    ]);
    registerGateMetrics(registry, () => gates);
    const before = await registry.metrics();
    expect(before).toContain('loyaltyd_partner_limit{program="tea"} 8');
    expect(before).toContain('loyaltyd_breaker_state{program="tea"} 0');
    expect(before).toContain('loyaltyd_breaker_state{program="coffee"} 1');
    gates.delete('tea');
    gates.set('coffee', { limit: 1, breaker: 'open' });
    const after = await registry.metrics();
    expect(after).not.toContain('tea');
    expect(after).toContain('loyaltyd_partner_limit{program="coffee"} 1');
    expect(after).toContain('loyaltyd_breaker_state{program="coffee"} 2');
  });
});
