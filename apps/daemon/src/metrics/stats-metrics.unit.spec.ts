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
    registerStatsMetrics(
      registry,
      async () => current,
      (name) => (name === 'tea' ? name : 'other'),
    );
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

  it('add up what is in no closed set, whoever said it', async () => {
    const pause = { pauseId: 1, since: at - 9_000, by: 'ada', reason: 'spec', automatic: false };
    const ofNobody = { ...pause, program: 'made-up', operation: null };
    const risk = { program: 'tea', intents: 1 };
    current = stats({
      pauses: [
        { ...pause, program: 'tea', operation: 'issue', automatic: true },
        { ...pause, program: null, operation: null },
        ...[ofNobody, ofNobody],
      ],
      valueAtRisk: ['EUR', 'QQQ', 'QQX'].map((currency) => ({ ...risk, currency, minor: 100 })),
      quarantine: [
        { reason: 'invalid', records: 3 },
        { reason: 'Ada Lovelace' as 'invalid', records: 1 },
      ],
    });
    const text = await registry.metrics();
    for (const line of [
      'loyaltyd_pause_seconds{program="tea",operation="issue",automatic="true"} 9',
      'loyaltyd_pause_seconds{program="all",operation="all",automatic="false"} 9',
      'loyaltyd_pause_seconds{program="other",operation="all",automatic="false"} 18',
      'loyaltyd_value_at_risk_minor{program="tea",currency="EUR"} 100',
      'loyaltyd_value_at_risk_minor{program="tea",currency="other"} 200',
      'loyaltyd_quarantine_open{reason="invalid"} 3',
      'loyaltyd_quarantine_open{reason="conflict"} 0',
      'loyaltyd_quarantine_open{reason="other"} 1',
      'loyaltyd_processes{role="delivery"} 0',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
    expect(text).not.toMatch(/made-up|QQ|Ada/);
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
