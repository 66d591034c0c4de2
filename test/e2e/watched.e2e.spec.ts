import type { EmbeddedBroker } from '#embedded';
import { startEmbeddedBroker, waitUntil } from '#embedded';
import type { FreezingProxy, RunningProcess } from '#test-support';
import { openFreezingProxy, queryOnce, throughProxy } from '#test-support';

import { groupingsIn, queriesOfOurs, Scrape, selectorsOfOurs } from '../alerts/alert-files.js';
import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { MountedSecrets, openHarness } from './harness.js';
import { emission, enrolled, produce, purchased } from './traffic.js';

const soon = { timeoutMs: 30_000 };
/** How often the probe is asked while something is away. */
const lookMs = 50;
/** What Prometheus puts on every series, and the bound of a histogram's bucket. */
const labelsOfOthers = ['job', 'instance', 'namespace', 'pod', 'le'];
/** No series while all goes well: registry-away.e2e.spec.ts and metrics.unit.spec.ts see its labels. */
const labelsOfWaits = { loyaltyd_source_waiting_seconds: ['topic', 'partition'] } as Readonly<Record<string, string[]>>;

/** A member whose lane is blocked, with an outcome that nobody knows: some series are there only then. */
const inTrouble = `
INSERT INTO member (lane_id, program_id, member_id, created_at) VALUES (900, 'coffee-club', 'w_900', now());
INSERT INTO lane (lane_id, program_id, version, tail_seq, state) VALUES (900, 'coffee-club', 1, 1, 'blocked');
INSERT INTO intent_standing (lane_id, seq, status, since, recorded_at, program_id, operation, amount, currency)
VALUES (900, 1, 'unknown', now(), now(), 'coffee-club', 'transaction', 1.00, 'EUR')`;

describe('a daemon that is watched', () => {
  let harness: Harness;
  let kafka: EmbeddedBroker;
  let postgres: FreezingProxy;
  let daemon: RunningProcess;
  let mounted: MountedSecrets;

  beforeAll(async () => {
    harness = await openHarness();
    await queryOnce(harness.database.ownerUrl, inTrouble);
    kafka = await startEmbeddedBroker({ topics: harness.topics.all });
    const database = new URL(harness.database.url);
    postgres = await openFreezingProxy({ host: database.hostname, port: Number(database.port) });
    mounted = await MountedSecrets.mount({ tokens: apiTokens });
    const tokens = { OPS_TOKENS: '', OPS_TOKENS_FILE: mounted.path('tokens') };
    const own = { KAFKA_BROKERS: kafka.brokers, DATABASE_URL: throughProxy(harness.database.url, postgres), ...tokens };
    daemon = await harness.startDaemon(own);
  });

  afterAll(async () => {
    await harness.close();
    await Promise.all([kafka.stop(), postgres.close(), mounted.unmount()]);
  });

  const emit = (...emissions: Parameters<typeof produce>[2]): Promise<void> =>
    produce({ ...harness.broker, brokers: kafka.brokers }, harness.topics, emissions);

  async function get(path: string): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(`${String(daemon.ready['operations'])}${path}`);
    return { status: response.status, text: await response.text() };
  }

  async function scrapeWith(...parts: readonly string[]): Promise<Scrape> {
    const text = await waitUntil(
      async () => {
        const scraped = await get('/metrics');
        return parts.every((part) => scraped.text.includes(part)) ? scraped.text : undefined;
      },
      { what: `metrics with ${parts.join(', ')}`, ...soon },
    );
    return new Scrape(text);
  }

  it('has every metric and label that the dashboard, alerts, runbooks and pages name, and none from outside', async () => {
    const api = new ApiClient(daemon, 'operator');
    const pause = await api.post('/pauses', { program: 'made-up-club', reason: 'spec' });
    expect(pause.status).toBe(200);
    const stranger = { memberId: 'w-1', program: 'stranger-club', purchaseId: 'S-1', currency: 'made-up' };
    await emit(
      enrolled('w-1'),
      purchased('w-1', 'w-1-p'),
      emission('purchases', 'made.up', { ...stranger, id: 's-1' }),
    );
    await emit(emission('members', 'member.enrolled', { ...stranger, id: 's-2' }));
    const scrape = await scrapeWith(
      'loyaltyd_delivery_seconds_count 2',
      'loyaltyd_quarantined_total{reason="unsupported-type"} 1',
      'loyaltyd_pause_seconds{',
      'loyaltyd_oldest_unknown_seconds{',
      `loyaltyd_consumer_lag{topic="${harness.topics.purchases}"`,
    );
    const wanted = selectorsOfOurs();
    expect(wanted.length).toBeGreaterThan(100);
    expect(wanted.filter(({ metric }) => !scrape.has(metric))).toEqual([]);
    const unlabelled = wanted.flatMap(({ metric, labels, where }) => {
      const known = [...scrape.labelsOf(metric), ...(labelsOfWaits[metric] ?? []), ...labelsOfOthers];
      return labels.filter((label) => !known.includes(label)).map((label) => `${where}: ${metric}{${label}}`);
    });
    expect(unlabelled).toEqual([]);
    const known = [...scrape.labels, ...labelsOfOthers];
    expect(queriesOfOurs().flatMap((query) => groupingsIn(query).filter((label) => !known.includes(label)))).toEqual(
      [],
    );
    expect(scrape.valuesOf('program')).toEqual(['coffee-club', 'other']);
    expect(scrape.valuesOf('topic')).toEqual(
      [harness.topics.members, harness.topics.purchases, harness.topics.rewards].toSorted(),
    );
    expect(scrape.text).not.toMatch(/made-up|stranger|w-1|w_900/);
  });

  it('stays live while the partner, the broker and the database are away, and drains afterwards', async () => {
    const lives: number[] = [];
    const watch = new AbortController();
    const watching = (async () => {
      while (!watch.signal.aborted) {
        lives.push((await get('/health/live')).status);
        await new Promise((resolve) => setTimeout(resolve, lookMs));
      }
    })();
    const failedCalls =
      /loyaltyd_deliveries_total\{program="coffee-club",operation="issue",outcome="not-applied"\} [1-9]/;
    await harness.sandbox.stop();
    await emit(enrolled('w-2'));
    await waitUntil(async () => failedCalls.test((await get('/metrics')).text), { what: 'a call that fails', ...soon });
    await kafka.stop();
    await waitUntil(() => daemon.stderr().includes('ECONNREFUSED'), { what: 'the broker to be missed', ...soon });
    expect((await get('/health/ready')).status).toBe(200);
    postgres.freeze();
    // One who asks soon after another gets the same answer.
    const failing = await waitUntil(
      async () => {
        const answer = await get('/health/ready');
        return answer.status === 503 ? answer : undefined;
      },
      { what: 'it to be no longer ready', ...soon },
    );
    expect(failing.text).toBe('{"status":"failing","problems":["Postgres does not answer"]}');
    postgres.cut();
    await scrapeWith('loyaltyd_database_up 0');
    postgres.heal();
    await scrapeWith('loyaltyd_database_up 1');
    await waitUntil(async () => (await get('/health/ready')).status === 200, { what: 'it to be ready', ...soon });
    watch.abort();
    await watching;
    expect(lives.length).toBeGreaterThan(0);
    expect(lives.filter((status) => status !== 200)).toEqual([]);
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  });
});
