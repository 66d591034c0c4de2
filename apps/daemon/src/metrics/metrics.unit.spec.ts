import { Registry } from 'prom-client';

import type { GateState, Observation } from '#outbox';
import type { Stats } from '#operations';

import { DaemonMetrics } from './daemon-metrics.js';
import { registerStatsMetrics } from './database-metrics.js';
import { closedLabel, codeLabel, currencyLabel, labelSets } from './label-sets.js';
import { registerGateMetrics } from './process-metrics.js';

describe('the values of labels', () => {
  it.each([
    ['applied', 'applied'],
    ['duplicate', 'duplicate'],
    ['timeout-before-send', 'timeout-before-send'],
    ['http-503', 'http-503'],
    ['http-599', 'http-5xx'],
    ['http-418', 'http-4xx'],
    ['http-302', 'http-3xx'],
    ['http-204-empty', 'http-2xx-unreadable'],
    ['http-200-not-json', 'http-2xx-unreadable'],
    ['unproven-200', 'http-2xx-unproven'],
    ['unproven-404', 'other'],
    ['foreign-pass', 'foreign-pass'],
    ['http-20', 'other'],
    ['http-5030', 'other'],
    ['Ada Lovelace has no pass', 'other'],
    ['', 'other'],
  ])('the code %j is told as %j', (code, label) => {
    expect(codeLabel(code)).toBe(label);
  });

  it.each(['no-token', 'send-window-missed', 'withdrawn', 'worker-lost', 'invalid-request'])(
    'the code %j is told as none: no call was made',
    (code) => {
      expect(codeLabel(code)).toBeNull();
    },
  );

  it('are so many codes at most, whatever statuses a partner makes up', () => {
    const statuses = Array.from({ length: 1_000 }, (_, status) => `http-${status}`);
    const bodies = ['-empty', '-not-json', '-other-json'].flatMap((body) => statuses.map((code) => `${code}${body}`));
    expect(new Set([...statuses, ...bodies].map(codeLabel)).size).toBe(14 + 9 + 1 + 1);
  });

  it('are `other` for what is in no set', () => {
    expect(closedLabel(labelSets.reason, 'invalid')).toBe('invalid');
    expect(closedLabel(labelSets.reason, 'm_81273')).toBe('other');
    expect(['EUR', 'JPY', 'XQQ', 'eur'].map(currencyLabel)).toEqual(['EUR', 'JPY', 'other', 'other']);
  });
});

const attempt = {
  kind: 'attempt',
  program: 'tea',
  operation: 'transaction',
  outcome: 'unknown',
  code: 'http-503',
  durationMs: 12,
  sinceBrokerMs: 40,
  status: 'unknown',
  resolution: null,
} as unknown as Extract<Observation, { kind: 'attempt' }>;

describe('the metrics of a process', () => {
  let metrics: DaemonMetrics;

  beforeEach(() => {
    metrics = new DaemonMetrics(['members', 'purchases']);
    metrics.knowPrograms(['tea']);
  });

  /** The lines of the series that are there, without the standard ones. */
  async function series(): Promise<string[]> {
    const lines = (await metrics.registry.metrics()).split('\n');
    return lines.filter((line) => line.startsWith('loyaltyd_'));
  }

  it('are there from the start, so that a rate sees the first one', async () => {
    const lines = await series();
    for (const line of [
      'loyaltyd_events_ingested_total{topic="members",result="recorded"} 0',
      'loyaltyd_quarantined_total{reason="conflict"} 0',
      'loyaltyd_record_keys_total{topic="members",key="none"} 0',
      'loyaltyd_unknown_total{operation="reward",resolution="parked"} 0',
      'loyaltyd_deliveries_total{program="tea",operation="issue",outcome="applied"} 0',
      'loyaltyd_unproven_answers_total{program="tea",operation="reward"} 0',
      'loyaltyd_job_items_total{result="refused"} 0',
      'loyaltyd_outcomes_published_total{type="loyalty.intent.parked.v1"} 0',
      'loyaltyd_source_gap_total 0',
      'loyaltyd_clock_jumps_total 0',
    ]) {
      expect(lines).toContain(line);
    }
  });

  it('count what belongs to a set by its name', async () => {
    metrics.ingest.eventsIngested('members', 'stale', 2);
    metrics.observe(attempt);
    metrics.knowPrograms(['tea', 'new']);
    const lines = await series();
    expect(lines).toContain('loyaltyd_events_ingested_total{topic="members",result="stale"} 2');
    expect(lines).toContain('loyaltyd_deliveries_total{program="tea",operation="transaction",outcome="unknown"} 1');
    expect(lines).toContain('loyaltyd_deliveries_total{program="new",operation="transaction",outcome="unknown"} 0');
    expect(lines).toContain('loyaltyd_unknown_total{operation="transaction",resolution="open"} 1');
    expect(lines).toContain('loyaltyd_partner_request_seconds_count{operation="transaction",code="http-503"} 1');
  });

  it('count answers that prove nothing, whatever it is that they lack', async () => {
    for (const code of ['unproven-200', 'foreign-pass', 'http-200-empty', 'timeout']) {
      metrics.observe({ ...attempt, code });
    }
    const lines = await series();
    expect(lines).toContain('loyaltyd_unproven_answers_total{program="tea",operation="transaction"} 3');
  });

  it('time from Kafka to delivered whatever proved it: an answer, a refused duplicate, or evidence', async () => {
    const { laneId, seq, program, memberId, operation } = attempt;
    const about = { laneId, seq, program, memberId, operation, attempt: 1 };
    const found = { kind: 'resolved', ...about, sinceBrokerMs: 700_000, status: 'delivered' } as const;
    metrics.observe(attempt);
    metrics.observe({ ...attempt, outcome: 'applied', code: 'applied', status: 'delivered' });
    metrics.observe({ ...attempt, outcome: 'rejected', code: 'duplicate', status: 'delivered', sinceBrokerMs: 20_000 });
    metrics.observe({ ...found, resolution: 'pass-found' });
    metrics.observe({ ...found, resolution: 'absent', status: 'pending' });
    const lines = await series();
    expect(lines).toContain('loyaltyd_delivery_seconds_count 3');
    expect(lines).toContain('loyaltyd_delivery_seconds_sum 720.04');
    expect(lines).toContain('loyaltyd_delivery_seconds_bucket{le="600"} 2');
  });

  it('time no call that nobody made, and those that could not connect', async () => {
    for (const code of ['no-token', 'send-window-missed', 'worker-lost', 'connection-refused']) {
      metrics.observe({ ...attempt, outcome: 'not-applied', code });
    }
    expect((await series()).filter((line) => line.startsWith('loyaltyd_partner_request_seconds_count'))).toEqual([
      'loyaltyd_partner_request_seconds_count{operation="transaction",code="connection-refused"} 1',
    ]);
  });

  it('make no series of what producers, the partner or the database make up', async () => {
    const say = (index: number): void => {
      metrics.ingest.eventsIngested(`topic-${index}`, `result-${index}`, 1);
      metrics.ingest.quarantined(`reason-${index}`, 1);
      metrics.ingest.recordKeys(`topic-${index}`, `key-${index}`, 1);
      metrics.outcomesPublished(`type-${index}`, 1);
      metrics.jobItems(`item-${index}`, 1);
      metrics.observe({
        ...attempt,
        program: `program-${index}`,
        code: `Ada ${index}`,
        resolution: `because-${index}`,
      });
    };
    say(0);
    const once = await series();
    for (let index = 1; index <= 1_000; index += 1) say(index);
    expect((await series()).length).toBe(once.length);
    expect(once.filter((line) => /-0"|Ada/.test(line))).toEqual([]);
    expect(await series()).toContain('loyaltyd_events_ingested_total{topic="other",result="other"} 1001');
  });

  it('forget the lag of partitions that others consume now', async () => {
    metrics.ingest.consumerLag({ topic: 'members', partition: 3 }, 7);
    metrics.consumerLags([{ topic: 'purchases', partition: 0, records: 12 }]);
    expect((await series()).filter((line) => line.startsWith('loyaltyd_consumer_lag'))).toEqual([
      'loyaltyd_consumer_lag{topic="purchases",partition="0"} 12',
    ]);
  });

  it('show for how long each partition waits as it is at the scrape, and none that goes on', async () => {
    let waiting = [{ topic: 'purchases', partition: 1, forMs: 2_500 }];
    const shown = async () => (await series()).filter((line) => line.startsWith('loyaltyd_source_waiting_seconds'));
    metrics.knowWaiting(() => waiting);
    expect(await shown()).toEqual(['loyaltyd_source_waiting_seconds{topic="purchases",partition="1"} 2.5']);
    waiting = [];
    expect(await shown()).toEqual([]);
  });
});

describe('the metrics of the gates', () => {
  it('show each program as it is at the scrape, and none that has left', async () => {
    const registry = new Registry();
    const gates = new Map<string, Pick<GateState, 'limit' | 'breaker'>>([
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
    valueAtRisk: [{ program: 'tea', currency: 'EUR', minor: 1_250, digits: 2, intents: 5 }],
    ...{ blockedLanes: [], quarantine: [], pauses: [], jobs: [], processes: [], recovery: null },
    uncountedSince: at - 300,
    ...change,
  };
  return { overview, rates: [], self: { processId: '' } };
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
      'loyaltyd_value_at_risk_minor{program="tea",currency="EUR",digits="2"} 1250',
      'loyaltyd_projection_lag_seconds 0.3',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
  });

  it('add up what is in no closed set, whoever said it', async () => {
    const pause = { pauseId: 1, since: at - 9_000, until: null, by: 'ada', reason: 'spec', automatic: false };
    const ofNobody = { ...pause, program: 'made-up', operation: null };
    const risk = { program: 'tea', intents: 1 };
    current = stats({
      pauses: [
        { ...pause, program: 'tea', operation: 'reward', factor: 'reward:9002', automatic: true },
        { ...pause, program: null, operation: null },
        { ...pause, program: 'tea', operation: null, factor: 'member:m-1' },
        { ...pause, program: 'tea', operation: null, factor: 'member:m-2', since: at - 5_000 },
        ...[ofNobody, ofNobody],
      ],
      valueAtRisk: ['EUR', 'QQQ', 'QQX'].map((currency) => ({ ...risk, currency, minor: 100, digits: 2 })),
      quarantine: [
        { reason: 'invalid', records: 3 },
        { reason: 'Ada Lovelace' as 'invalid', records: 1 },
      ],
    });
    const text = await registry.metrics();
    for (const line of [
      'loyaltyd_pause_seconds{program="tea",operation="reward",factor="reward:9002",automatic="true"} 9',
      'loyaltyd_pause_seconds{program="tea",operation="all",factor="member",automatic="false"} 9',
      'loyaltyd_pause_seconds{program="all",operation="all",factor="all",automatic="false"} 9',
      'loyaltyd_pause_seconds{program="other",operation="all",factor="all",automatic="false"} 18',
      'loyaltyd_value_at_risk_minor{program="tea",currency="EUR",digits="2"} 100',
      'loyaltyd_value_at_risk_minor{program="tea",currency="other",digits="2"} 200',
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
