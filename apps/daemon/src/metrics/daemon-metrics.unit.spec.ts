import type { Observation } from '#delivery';

import { DaemonMetrics } from './daemon-metrics.js';

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
      'loyaltyd_replay_items_total{result="refused"} 0',
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
      metrics.replayItems(`item-${index}`, 1);
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
});
