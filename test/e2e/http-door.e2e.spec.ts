import { createHash } from 'node:crypto';

import type { Accepted, EventStatus } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { judgeHarness } from './judge-run.js';
import { awaitEffects, readLedger } from './partner.js';
import type { Emission } from './traffic.js';
import { enrolled, purchased } from './traffic.js';

const token = 'the-token-of-a-shop';
const sha256 = createHash('sha256').update(token).digest('hex');
const sent = [enrolled('m-1'), purchased('m-1', 'p-1'), purchased('m-1', 'p-2')];

describe('a shop without Kafka', () => {
  let harness: Harness;
  let door: RunningProcess;
  let viewer: ApiClient;

  beforeAll(async () => {
    harness = await openHarness();
    viewer = new ApiClient(await harness.startDaemon({ OPS_TOKENS: apiTokens }), 'viewer');
    const tokens = `shop:producer:${sha256}:members+purchases`;
    door = await harness.startDaemon({ LOYALTYD_ROLES: 'door', OPS_TOKENS: tokens });
  });

  afterAll(() => harness.close());

  const ask = (path: string, body?: string): Promise<Response> =>
    fetch(`${String(door.ready['operations'])}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/cloudevents+json' },
      ...(body === undefined ? {} : { body }),
    });
  const write = async ({ message }: Emission): Promise<Accepted['accepted']> => {
    const answer = await ask('/api/v1/events', String(message.value));
    expect(answer.status).toBe(202);
    return ((await answer.json()) as Accepted).accepted;
  };

  it('has its events delivered once and in order, however often it sends them', async () => {
    for (const emission of [...sent, ...sent]) await write(emission);
    await awaitEffects(harness.sandboxUrl, sent.length);
    // Of the same partition: what came before it was read.
    await write(purchased('m-1', 'p-3'));
    await awaitEffects(harness.sandboxUrl, sent.length + 1);
    expect((await readLedger(harness.sandboxUrl)).map(({ key }) => key)).toEqual([null, 'p-1', 'p-2', 'p-3']);
  });

  it('is told what became of each, by a process that has the door alone', async () => {
    const path = `/api/v1/events/${encodeURIComponent('/pos/test/till-1')}/p-p-1`;
    const status = async (): Promise<EventStatus> => (await (await ask(path)).json()) as EventStatus;
    await waitUntil(async () => (await status()).intents[0]?.status === 'delivered', {
      what: 'the sale to be told as delivered',
      timeoutMs: 30_000,
    });
    expect((await status()).intents).toHaveLength(1);
    const { body } = await viewer.get(path.replace('/api/v1', ''));
    expect(body).toMatchObject({ state: 'recorded', intents: [{ id: 'coffee-club~m-1~2', status: 'delivered' }] });
  });

  it('is shown nothing else there, and the process says what it counts', async () => {
    expect((await ask('/api/v1/intents')).status).toBe(404);
    const metrics = await (await ask('/metrics')).text();
    expect(metrics).toContain('loyaltyd_door_events_total{source="purchases",result="accepted"} 5');
    expect((await ask('/health/ready')).status).toBe(200);
  });

  it('leaves a history in which every invariant holds', async () => {
    const { violations, retailer } = await judgeHarness(harness);
    expect(violations).toEqual([]);
    expect(retailer.first).toEqual([]);
  });
});
