import { Gauge } from 'prom-client';

import { BusyRatio, registerBusyMetrics } from './busy-ratio.js';
import { createMetrics } from './daemon-metrics.js';
import { mergedMetrics } from './merged-metrics.js';
import { registerGateMetrics } from './process-metrics.js';

const kafka = { topics: { members: 'm', purchases: 'p', rewards: 'r' } } as never;

describe('the metrics of several threads', () => {
  it('are told as those of one process', async () => {
    const main = createMetrics({ kafka }, 'main');
    const workers = [1, 2].map((number) => {
      const metrics = createMetrics({ kafka }, number);
      metrics.ingest.eventsIngested('m', 'recorded', number);
      // The partition has just gone from one to the other.
      metrics.consumerLags([{ topic: 'm', partition: 0, records: number }]);
      metrics.clockJumped();
      const breaker = number === 1 ? 'open' : 'closed';
      registerGateMetrics(metrics.registry, () => new Map([['tea', { limit: number, breaker }]]));
      return metrics;
    });
    const all = await Promise.all([main, ...workers].map(({ registry }) => registry.getMetricsAsJSON()));
    const text = await mergedMetrics(all);
    const valueOf = (series: string): string | undefined =>
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.slice(series.length + 1);
    expect(valueOf('loyaltyd_events_ingested_total{topic="m",result="recorded"}')).toBe('3');
    expect(valueOf('loyaltyd_consumer_lag{topic="m",partition="0"}')).toBe('2');
    expect(valueOf('loyaltyd_partner_limit{program="tea"}')).toBe('3');
    expect(valueOf('loyaltyd_breaker_state{program="tea"}')).toBe('2');
    expect(valueOf('loyaltyd_clock_jumps_total')).toBe('1');
    // Of the process once, of each thread's heap the sum.
    expect(Number(valueOf('process_start_time_seconds'))).toBeCloseTo(Date.now() / 1_000 - process.uptime(), -1);
    expect(Number(valueOf('process_resident_memory_bytes'))).toBeLessThan(2 * process.memoryUsage.rss());
    expect(Number(valueOf('nodejs_heap_size_used_bytes'))).toBeGreaterThan(2 * process.memoryUsage().heapUsed);
    // As one thread tells them: no metric is lost, none is told twice.
    const namesIn = (shown: string): string[] => shown.match(/^# HELP \S+/gm) ?? [];
    const alone = createMetrics({ kafka }, 'only');
    registerGateMetrics(alone.registry, () => new Map());
    expect(namesIn(text).toSorted()).toEqual(namesIn(await alone.registry.metrics()).toSorted());
  });
});

describe('how busy a thread is', () => {
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
    const { registry } = createMetrics({ kafka }, 'only');
    registerBusyMetrics(registry, new Map([['1', busy]]));
    expect(registry.getSingleMetric('loyaltyd_worker_busy_ratio')).toBeInstanceOf(Gauge);
    expect(await registry.metrics()).toContain('loyaltyd_worker_busy_ratio{worker="1"} 0.999');
  });
});
