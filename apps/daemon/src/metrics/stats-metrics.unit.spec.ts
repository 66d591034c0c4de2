import { Registry } from 'prom-client';

import type { Stats } from '#operations';

import { registerStatsMetrics } from './stats-metrics.js';

const at = 1_000_000;
const byStatus = { waiting: 0, pending: 5, unknown: 1, delivered: 90, parked: 4, cancelled: 0 };

function stats(change: Partial<Stats['overview']> = {}): Stats {
  const overview: Stats['overview'] = {
    at,
    intents: [
      { program: 'tea', operation: 'transaction', recorded: 100, byStatus },
      { program: 'idle', operation: 'issue', recorded: 1, byStatus: { ...byStatus, pending: 0 } },
    ],
    delivering: [{ program: 'tea', operation: 'transaction', intents: 2 }],
    oldestPending: [{ program: 'tea', recordedAt: at - 4_500, isPart: false }],
    valueAtRisk: [{ program: 'tea', currency: 'EUR', minor: 1_250, intents: 5 }],
    ...{ blockedLanes: [], quarantine: [], pauses: [], replays: [], processes: [], recovery: null },
    uncountedSince: at - 300,
    ...change,
  };
  return { overview, rates: [], self: { processId: '', gates: () => new Map() } };
}

describe('the metrics that the database tells', () => {
  let registry: Registry;
  let current: Stats | null;

  beforeEach(() => {
    registry = new Registry();
    current = stats();
    registerStatsMetrics(registry, async () => current);
  });

  it('are what the overview says at the scrape', async () => {
    const text = await registry.metrics();
    for (const line of [
      'loyaltyd_intents{program="tea",operation="transaction",status="pending"} 3',
      'loyaltyd_intents{program="tea",operation="transaction",status="delivering"} 2',
      'loyaltyd_intents{program="tea",operation="transaction",status="delivered"} 90',
      'loyaltyd_intents{program="tea",operation="transaction",status="cancelled"} 0',
      'loyaltyd_oldest_pending_seconds{program="tea"} 4.5',
      'loyaltyd_oldest_pending_seconds{program="idle"} 0',
      'loyaltyd_value_at_risk_minor{program="tea",currency="EUR"} 1250',
      'loyaltyd_projection_lag_seconds 0.3',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
  });

  it('forget what is not there any more', async () => {
    await registry.metrics();
    current = stats({ valueAtRisk: [], uncountedSince: null });
    const text = await registry.metrics();
    expect(text).not.toContain('loyaltyd_value_at_risk_minor{');
    expect(text).toContain('loyaltyd_projection_lag_seconds 0\n');
  });

  it('are absent while the database cannot be read', async () => {
    await registry.metrics();
    current = null;
    const values = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(values).toEqual([]);
  });
});
