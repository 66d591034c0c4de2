import type { AuditPage, IntentCorrectionResult, IntentDetails, IntentPage, JobItemsPage } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { readLedger } from './partner.js';
import { enrolled, produce, purchased } from './traffic.js';

/** With an attribute that the partner does not know. */
const programs = programsFile.replace('store: storeId', 'store: storeId, shop: storeId');
const members = ['m-1', 'm-2'];
const reason = 'type 31 has no attribute shop';
const soon = { timeoutMs: 30_000 };

describe('the content of an intent that the partner refuses', () => {
  let harness: Harness;
  let daemon: RunningProcess;
  let viewer: ApiClient;
  let operator: ApiClient;
  let admin: ApiClient;

  beforeAll(async () => {
    harness = await openHarness(programs);
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    viewer = new ApiClient(daemon, 'viewer');
    operator = new ApiClient(daemon, 'operator');
    admin = new ApiClient(daemon, 'admin');
    await produce(harness.broker, harness.topics, members.map(enrolled));
    // Two topics: only once the enrolments are there is each purchase its member's second intent.
    await awaitCount('status=delivered', members.length);
    await produce(
      harness.broker,
      harness.topics,
      members.map((memberId) => purchased(memberId, `${memberId}-p`)),
    );
    await awaitCount('status=parked', members.length);
  });

  afterAll(async () => {
    await harness.close();
  });

  async function awaitCount(query: string, count: number): Promise<void> {
    const look = async (): Promise<boolean> =>
      ((await viewer.get(`/intents?${query}`)).body as IntentPage).items.length === count;
    await waitUntil(look, { what: `${count} of ${query}`, ...soon });
  }

  async function details(memberId: string): Promise<IntentDetails> {
    return (await viewer.get(`/intents/coffee-club~${memberId}~2`)).body as IntentDetails;
  }

  it('is shown as the very request that a replay would make', async () => {
    const { nextRequest } = await details('m-1');
    expect(nextRequest).toMatchObject({
      method: 'POST',
      path: expect.stringContaining('/transaction-types/31/transactions?unique_id=m-1') as string,
      problems: [],
    });
    expect(JSON.stringify(nextRequest?.body)).toContain('12.5');
    await operator.post('/jobs', { kind: 'replay', id: 'dry', query: 'status=parked', reason, dryRun: true });
    const { items } = (await viewer.get('/jobs/dry/items?requests=true')).body as JobItemsPage;
    expect(items.map(({ request }) => request?.method)).toEqual(['POST', 'POST']);
    const plain = (await viewer.get('/jobs/dry/items')).body as JobItemsPage;
    expect(plain.items[0]).not.toHaveProperty('request');
  });

  it('is corrected by who may and says why, appended, told by path, and then delivered', async () => {
    const path = '/intents/coffee-club~m-1~2/correct';
    const patch = { attributes: { shop: null } };
    expect((await viewer.post(path, { reason, patch })).status).toBe(403);
    expect(await operator.post(path, { reason })).toMatchObject({ status: 400 });
    expect(await operator.post(path, { reason, patch: { uniqueId: 'm-2' } })).toMatchObject({ status: 400 });
    expect(await operator.post(path, { reason, patch: {} })).toMatchObject({
      status: 422,
      body: { type: 'urn:loyaltyd:problem:nothing-changed' },
    });
    const { status, body } = await operator.post(path, { reason, patch });
    expect([status, (body as IntentCorrectionResult).changes]).toEqual([
      200,
      [{ path: 'attributes.shop', from: '•••' }],
    ]);
    expect((await details('m-1')).events.map(({ type }) => type).at(-1)).toBe('IntentCorrected');
    expect((await details('m-1')).status).toBe('parked');
    const [trace] = ((await viewer.get('/audit?action=intent.correct')).body as AuditPage).items;
    expect(trace).toMatchObject({ actor: 'operator', reason, intent: 'coffee-club~m-1~2' });

    await operator.post('/intents/coffee-club~m-1~2/replay', { reason });
    const look = async (): Promise<boolean> => (await details('m-1')).status === 'delivered';
    await waitUntil(look, { what: 'the corrected purchase to be delivered', ...soon });
    const entries = (await readLedger(harness.sandboxUrl)).filter(({ key }) => key === 'm-1-p');
    expect(entries).toHaveLength(1);
    expect(JSON.stringify(entries)).not.toContain('shop');
    expect(await operator.post(path, { reason, patch: { amount: '1' } })).toMatchObject({
      status: 409,
      body: { type: 'urn:loyaltyd:problem:already-settled' },
    });
    expect((await details('m-1')).nextRequest).toBeNull();
  });

  it('is left alone where no request could be made of the correction', async () => {
    const answer = await operator.post('/intents/coffee-club~m-2~2/correct', { reason, patch: { amount: 'much' } });
    expect(answer).toMatchObject({ status: 400 });
    expect(JSON.stringify(answer.body)).not.toContain('much"');
    expect((await details('m-2')).events.map(({ type }) => type)).not.toContain('IntentCorrected');
  });

  it('is not taken from what is shown masked, and names nobody else', async () => {
    const path = '/intents/coffee-club~m-2~2/correct';
    const { command } = await details('m-2');
    const { attributes } = command as { readonly attributes: object };
    for (const correction of [{ patch: { attributes } }, { command }]) {
      const { status, body } = await operator.post(path, { reason, ...correction });
      expect([status, (body as { readonly detail: string }).detail]).toEqual([
        400,
        expect.stringContaining('attributes.receipt') as string,
      ]);
    }
    expect(await operator.post(path, { reason, patch: { serialNumber: 'S-2' } })).toMatchObject({ status: 400 });
    expect((await details('m-2')).events.map(({ type }) => type)).not.toContain('IntentCorrected');
  });

  it('that comes back each time is sent once more for an admin who insists, and for nobody else', async () => {
    const path = '/intents/coffee-club~m-2~2/replay';
    const replays = async (): Promise<number> =>
      (await details('m-2')).events.filter(({ type }) => type === 'IntentReplayed').length;
    const isBack = async (): Promise<boolean> => (await details('m-2')).status === 'parked';
    for (let time = 1; time <= 5; time += 1) {
      expect(await operator.post(path, { reason })).toMatchObject({ status: 200 });
      await waitUntil(isBack, { what: `replay ${time} to be refused by the partner`, ...soon });
    }
    const tooOften = { status: 409, body: { type: 'urn:loyaltyd:problem:replayed-too-often' } };
    expect(await operator.post(path, { reason })).toMatchObject(tooOften);
    expect(await admin.post(path, { reason })).toMatchObject(tooOften);
    const resolve = path.replace('/replay', '/resolve');
    expect(await operator.post(resolve, { reason, as: 'not-delivered' })).toMatchObject(tooOften);
    const forbidden = { status: 403, body: { type: 'urn:loyaltyd:problem:role' } };
    expect(await operator.post(path, { reason, force: true })).toMatchObject(forbidden);
    expect(await operator.post(resolve, { reason, as: 'not-delivered', force: true })).toMatchObject(forbidden);
    expect(await replays()).toBe(5);
    expect(await admin.post(path, { reason, force: true })).toMatchObject({ status: 200 });
    expect(await replays()).toBe(6);
  });
});
