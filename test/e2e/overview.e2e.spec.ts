import type { AuditPage, StatsView } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { testAudience, TestIssuer } from '#test-support';

import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { emission, enrolled, produce, purchased } from './traffic.js';

const members = ['o-1', 'o-2', 'o-3'];
const soon = { timeoutMs: 30_000 };

describe('a daemon that takes the tokens of an identity provider', () => {
  let harness: Harness;
  let issuer: TestIssuer;
  let daemon: RunningProcess;
  let token: string;

  beforeAll(async () => {
    issuer = await TestIssuer.start();
    token = await issuer.token({ preferred_username: 'ada', access: { roles: ['viewer', 'operator'] } });
    await issuer.goDown();
    harness = await openHarness();
    daemon = await harness.startDaemon({
      OPS_TOKENS: '',
      OPS_OIDC_ISSUER: issuer.url,
      OPS_OIDC_AUDIENCE: testAudience,
      OPS_OIDC_ROLE_CLAIM: 'access.roles',
    });
  });

  afterAll(async () => {
    await issuer.goDown();
    await harness.close();
  });

  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return fetch(`${String(daemon.ready['operations'])}${path}`, { headers, ...init });
  }

  async function stats(): Promise<StatsView> {
    return (await (await ask('/api/v1/stats')).json()) as StatsView;
  }

  it('starts without it, and lets its people in once it is there', async () => {
    const refused = await ask('/api/v1/stats');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused.json()).toMatchObject({ type: 'urn:loyaltyd:problem:identity-provider-unavailable' });
    await issuer.comeUp();
    await waitUntil(async () => (await ask('/api/v1/stats')).ok, { what: 'the provider to be asked again', ...soon });
    const pause = { method: 'POST', body: JSON.stringify({ program: 'tea-club', reason: 'stocktaking' }) };
    const paused = await ask('/api/v1/pauses', pause);
    expect(paused.status).toBe(200);
    const { items } = (await (await ask('/api/v1/audit?limit=1')).json()) as AuditPage;
    const requestId = paused.headers.get('x-request-id');
    expect(items).toMatchObject([{ actor: 'ada', subject: `${issuer.url} somebody`, requestId }]);
    const { pauses } = await waitUntil(
      async () => {
        const now = await stats();
        return now.pauses.length > 0 ? now : undefined;
      },
      { what: 'the pause to be told', ...soon },
    );
    expect(pauses).toMatchObject([{ program: 'tea-club', by: 'ada' }]);
  });

  it('tells how things stand: what came, what was delivered, what was set aside, and that it is there', async () => {
    const malformed = emission('purchases', 'purchase.completed', { id: 'bad', memberId: 'o-1' });
    const purchases = members.map((member) => purchased(member, `${member}-p`));
    await produce(harness.broker, harness.topics, [...members.map(enrolled), ...purchases, malformed]);
    const delivered = (operation: string): object => ({
      ...{ program: 'coffee-club', operation, status: 'delivered', intents: members.length },
    });
    const told = await waitUntil(
      async () => {
        const now = await stats();
        return now.intents.reduce((sum, { status, intents }) => sum + (status === 'delivered' ? intents : 0), 0) === 6
          ? now
          : undefined;
      },
      { what: 'all to be counted as delivered', ...soon },
    );
    expect(told).toMatchObject({
      intents: [delivered('issue'), delivered('transaction')],
      quarantine: [{ reason: 'invalid', records: 1 }],
      processes: [{ roles: ['ingest', 'delivery', 'operations'], isSelf: true }],
      ...{ oldestPending: [], blockedLanes: [], valueAtRisk: [], jobs: [] },
      partner: [{ program: 'coffee-club', breaker: 'closed' }],
    });
    const metrics = await (await ask('/metrics')).text();
    const line = 'loyaltyd_intents{program="coffee-club",operation="transaction",status="delivered"} 3';
    expect(metrics).toContain(line);
    expect(metrics).toContain('loyaltyd_oldest_pending_seconds{program="coffee-club"} 0');
    expect(metrics).toMatch(/^loyaltyd_projection_lag_seconds [\d.]+$/m);
  });

  it('lets those who watch go when it is told to stop, and drains as if nobody had watched', async () => {
    const response = await ask('/api/v1/stream');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const first = await reader?.read();
    expect(String(first?.value)).toMatch(/^retry: \d+\n\nevent: stats\n/);
    const stopped = daemon.stop();
    for (let isOver = false; !isOver;) isOver = (await reader?.read())?.done !== false;
    expect(await stopped).toEqual({ code: 0, signal: null });
  });
});
