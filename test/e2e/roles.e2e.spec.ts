import type { StatsView } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';

import { apiTokens, tokenOf } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { readLedger } from './partner.js';
import { emission, enrolled, produce, purchased } from './traffic.js';

async function get(daemon: RunningProcess, path: string): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${String(daemon.ready['operations'])}${path}`);
  return { status: response.status, text: await response.text() };
}

describe('roles in processes of their own', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await openHarness();
  });

  afterAll(async () => {
    await harness.close();
  });

  it('carry an enrolment and a purchase from Kafka to the partner, and each serves probes and metrics', async () => {
    const [ingest, delivery, operations] = await Promise.all([
      harness.startDaemon({ LOYALTYD_ROLES: 'ingest' }),
      harness.startDaemon({ LOYALTYD_ROLES: 'delivery' }),
      harness.startDaemon({ LOYALTYD_ROLES: 'operations', OPS_BASE_PATH: '/loyalty', OPS_TOKENS: apiTokens }),
    ]);
    expect([ingest, delivery, operations].map(({ ready }) => ready['roles'])).toEqual([
      ['ingest'],
      ['delivery'],
      ['operations'],
    ]);
    const malformed = emission('purchases', 'purchase.completed', { id: 'bad', memberId: 'r-1' });
    await produce(harness.broker, harness.topics, [enrolled('r-1'), purchased('r-1', 'r-1-p'), malformed]);
    const ledger = await waitUntil(
      async () => {
        const entries = await readLedger(harness.sandboxUrl);
        return entries.length === 2 ? entries : undefined;
      },
      { what: 'both effects', timeoutMs: 30_000 },
    );
    expect(ledger.map(({ operation, uniqueId, key }) => [operation, uniqueId, key])).toEqual([
      ['issue', 'r-1', null],
      ['transaction', 'r-1', 'r-1-p'],
    ]);
    for (const daemon of [ingest, delivery, operations]) {
      for (const probe of ['live', 'ready', 'startup']) {
        expect(await get(daemon, `/health/${probe}`)).toEqual({ status: 200, text: '{"status":"ok"}' });
      }
      // The API is there for the role operations alone, and for nobody without a token.
      const status = daemon === operations ? 401 : 404;
      expect(await get(daemon, '/api/v1/intents')).toMatchObject({ status });
    }
    expect(await get(operations, '/loyalty/api/v1/intents')).toMatchObject({ status: 401 });
    // It delivers and takes in nothing itself: it says what the others do.
    const told = await waitUntil(
      async () => {
        const headers = { authorization: `Bearer ${tokenOf('viewer')}` };
        const answer = await fetch(`${String(operations.ready['operations'])}/loyalty/api/v1/stats`, { headers });
        const stats = (await answer.json()) as StatsView;
        return stats.partner[0]?.calls === 2 && stats.lag !== null ? stats : undefined;
      },
      { what: 'the figures of the other processes', timeoutMs: 30_000 },
    );
    expect(told).toMatchObject({
      partner: [{ program: 'coffee-club', breaker: 'closed', processes: 1, resting: 0, inUse: 0 }],
      lag: { records: 0, oldestSeconds: null },
      figures: { processes: 3, silent: 0 },
    });
    expect(told.partner[0]?.latencyMs?.p95).toBeGreaterThan(0);
    expect(told.partner[0]?.limit).toBeGreaterThan(0);
    const { text: described } = await get(operations, '/loyalty/api/openapi.json');
    expect(JSON.parse(described)).toMatchObject({ servers: [{ url: '/loyalty/api/v1' }] });
    const ingested = await waitUntil(
      async () => {
        const { text } = await get(ingest, '/metrics');
        return text.includes('loyaltyd_quarantined_total{reason="invalid"} 1') ? text : undefined;
      },
      { what: 'the quarantined record to be counted', timeoutMs: 30_000 },
    );
    expect(ingested).toContain(`loyaltyd_events_ingested_total{topic="${harness.topics.members}",result="recorded"} 1`);
    const { text } = await get(delivery, '/metrics');
    expect(text).toContain('loyaltyd_deliveries_total{program="coffee-club",operation="issue",outcome="applied"} 1');
    expect(text).toContain('loyaltyd_delivery_seconds_count 2');
    expect(`${ingested}${text}${ingest.stderr()}${delivery.stderr()}`).not.toMatch(/r-1|Ada|example\.org/);
  });
});
