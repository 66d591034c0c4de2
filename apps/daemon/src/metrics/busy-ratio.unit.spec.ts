import { Gauge, Registry } from 'prom-client';

import { BusyRatio, registerBusyMetrics } from './busy-ratio.js';

describe('how busy the process is', () => {
  it('is told of the time since it was asked last, or of some seconds', async () => {
    let now = { idle: 0, active: 0, utilization: 0 };
    const busy = new BusyRatio(() => now);
    const after = (idle: number, active: number): number => {
      now = { idle: now.idle + idle, active: now.active + active, utilization: 0 };
      return busy.value;
    };
    expect(after(6_000, 2_000)).toBe(0.25);
    // Somebody else asks in between.
    expect(after(10, 0)).toBe(0.25);
    expect(after(0, 9_990)).toBe(0.999);
    const registry = new Registry();
    registerBusyMetrics(registry, busy);
    expect(registry.getSingleMetric('loyaltyd_busy_ratio')).toBeInstanceOf(Gauge);
    expect(await registry.metrics()).toContain('loyaltyd_busy_ratio 0.999');
  });
});
