import type {
  AuditPage,
  GroupList,
  IntentDetails,
  IntentPage,
  IntentView,
  JobItemsPage,
  JobView,
  QuarantinePage,
} from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { kafkaClient } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { createAttribute, readLedger } from './partner.js';
import { enrolled, produce, purchased } from './traffic.js';

/** With an attribute that the partner does not know. */
const programs = programsFile.replace('store: storeId', 'store: storeId, shop: storeId');
const members = ['m-1', 'm-2', 'm-3', 'm~4'];
const reason = 'the partner has mended its type 31';
const soon = { timeoutMs: 30_000 };
const problemType = 'application/problem+json; charset=utf-8';

describe('the operations API of a daemon whose partner refuses', () => {
  let harness: Harness;
  let daemon: RunningProcess;
  let viewer: ApiClient;
  let operator: ApiClient;

  beforeAll(async () => {
    harness = await openHarness(programs);
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    viewer = new ApiClient(daemon, 'viewer');
    operator = new ApiClient(daemon, 'operator');
    await produce(harness.broker, harness.topics, members.map(enrolled));
    await awaitCount({ status: 'delivered', operation: 'issue' }, members.length);
    await produce(
      harness.broker,
      harness.topics,
      members.map((memberId) => purchased(memberId, `${memberId}-p`)),
    );
    await awaitCount({ status: 'parked' }, members.length);
  });

  afterAll(async () => {
    await harness.close();
  });

  async function list(query: Readonly<Record<string, string>>): Promise<IntentView[]> {
    const { status, body } = await viewer.get(`/intents?${new URLSearchParams(query).toString()}`);
    expect(status).toBe(200);
    return (body as IntentPage).items;
  }

  async function awaitCount(query: Readonly<Record<string, string>>, count: number): Promise<IntentView[]> {
    const look = async (): Promise<IntentView[] | undefined> => {
      const items = await list(query);
      return items.length === count ? items : undefined;
    };
    return waitUntil(look, { what: `${count} of ${JSON.stringify(query)}`, ...soon });
  }

  async function purchaseOf(memberId: string): Promise<IntentView> {
    const [intent] = await list({ purchaseId: `${memberId}-p` });
    if (intent === undefined) throw new Error(`no purchase of ${memberId}`);
    return intent;
  }

  it('shows what is stuck, why, and every attempt, and nothing personal', async () => {
    const parked = await purchaseOf('m-1');
    expect(parked).toMatchObject({
      status: 'parked',
      reason: 'rejected',
      amount: { minor: 1_250, currency: 'EUR', digits: 2 },
    });
    const { body } = await viewer.get(`/intents/${parked.id}`);
    const { attempts, events, sourceRecord } = body as IntentDetails;
    expect(events.map(({ type }) => type)).toEqual(['AttemptBegun', 'AttemptRejected', 'IntentParked']);
    expect(attempts).toMatchObject([{ attempt: 1, outcome: 'AttemptRejected', code: 'refused', phase: 'answered' }]);
    expect(attempts[0]?.response).toMatchObject({ status: 400 });
    expect(sourceRecord?.value).toContain('m-1-p');
    const [enrolment] = await list({ memberId: 'm-1', operation: 'issue' });
    const story = await viewer.get(`/intents/${enrolment?.id ?? ''}`);
    expect(JSON.stringify(story.body)).toContain('•••');
    expect(JSON.stringify(story.body)).not.toMatch(/Ada|example\.org/);
  });

  it('shows a member with the pass, what is queued and what came last', async () => {
    expect(await viewer.get(`/members/coffee-club/${encodeURIComponent('m~4')}`)).toMatchObject({
      status: 200,
      body: {
        ...{ memberId: 'm~4', passKnown: 'known', lane: { state: 'live', next: null, queued: 0 } },
        pass: { downloadUrl: expect.stringContaining('http') as string },
        intents: [{ operation: 'transaction' }, { operation: 'issue', status: 'delivered' }],
      },
    });
    expect((await viewer.get('/members/coffee-club/nobody')).status).toBe(404);
  });

  it('shows what is personal to an admin alone, and keeps that it did', async () => {
    const path = '/members/coffee-club/m-3/unmask';
    expect((await operator.post(path, { reason })).status).toBe(403);
    const { status, body } = await new ApiClient(daemon, 'admin').post(path, { reason });
    expect(status).toBe(200);
    expect(JSON.stringify(body)).toContain('m-3@example.org');
    const [trace] = ((await viewer.get('/audit?action=member.unmask')).body as AuditPage).items;
    expect(trace).toMatchObject({ actor: 'admin', reason, member: { memberId: 'm-3' }, intent: null });
  });

  it('puts failures with the same cause together, with what is at stake', async () => {
    const { items } = (await viewer.get('/groups')).body as GroupList;
    expect(items).toMatchObject([
      {
        ...{ program: 'coffee-club', operation: 'transaction', status: 'parked', reason: 'rejected', code: 'refused' },
        ...{ intents: members.length, members: members.length, money: [{ currency: 'EUR', minor: 5_000, digits: 2 }] },
        ...{ fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/) as string, hours: [{ intents: members.length }] },
      },
    ]);
    expect(await list(items[0]?.query ?? {})).toHaveLength(members.length);
  });

  it('replays what is parked, once, for somebody who may and says why', async () => {
    const { id } = await purchaseOf('m-1');
    expect(await viewer.post(`/intents/${id}/replay`, { reason })).toMatchObject({ status: 403 });
    const silent = await operator.post(`/intents/${id}/replay`, { reason: ' ' });
    expect(silent).toMatchObject({ status: 400, contentType: 'application/problem+json; charset=utf-8' });
    expect((await purchaseOf('m-1')).status).toBe('parked');
    await createAttribute(harness.sandboxUrl, 31, 'shop');
    const answers = await Promise.all([1, 2].map(() => operator.post(`/intents/${id}/replay`, { reason })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    await awaitCount({ purchaseId: 'm-1-p', status: 'delivered' }, 1);
    expect(await operator.post(`/intents/${id}/replay`, { reason })).toMatchObject({
      status: 409,
      body: { type: 'urn:loyaltyd:problem:already-settled' },
    });
    const entries = (await readLedger(harness.sandboxUrl)).filter(({ key }) => key === 'm-1-p');
    expect(entries).toHaveLength(1);
  });

  it('cancels, and takes a person at their word, whatever the member is called', async () => {
    const second = await purchaseOf('m-2');
    expect(await operator.post(`/intents/${second.id}/cancel`, { reason })).toMatchObject({
      body: { intent: { status: 'cancelled' } },
    });
    const fourth = await purchaseOf('m~4');
    expect(fourth.id).toBe('coffee-club~m%7E4~2');
    expect(await viewer.get(`/intents/${encodeURIComponent(fourth.id)}`)).toMatchObject({ status: 200 });
    const word = { reason, as: 'delivered' };
    expect(await operator.post(`/intents/${fourth.id}/resolve`, word)).toMatchObject({
      body: { intent: { status: 'delivered' } },
    });
    const audit = (await viewer.get('/audit?limit=2')).body as AuditPage;
    expect(audit.items).toMatchObject([
      {
        action: 'intent.resolve',
        actor: 'operator',
        role: 'operator',
        address: '127.0.0.1',
        reason,
        intent: fourth.id,
      },
      { action: 'intent.cancel', actor: 'operator', intent: second.id },
    ]);
    const older = (await viewer.get(`/audit?cursor=${audit.nextCursor ?? ''}`)).body as AuditPage;
    expect(older.items.map(({ action }) => action)).toEqual(['intent.replay', 'member.unmask']);
  });

  it('replays the rest as a job: tried dry, started, done', async () => {
    const job = {
      kind: 'replay',
      id: 'mended',
      query: 'status=parked operation=transaction',
      reason,
      ratePerSecond: 100,
    };
    expect(await viewer.post('/jobs', job)).toMatchObject({ status: 403 });
    expect(await operator.post('/jobs', { ...job, query: 'status=delivered' })).toMatchObject({ status: 400 });
    expect(await operator.post('/jobs', { ...job, force: true })).toMatchObject({ status: 403 });
    expect(await operator.post('/jobs', { ...job, dryRun: true })).toMatchObject({
      status: 200,
      body: {
        state: 'planned',
        selection: {
          items: 1,
          byForecast: { 'was-refused': 1 },
          money: [{ currency: 'EUR', minor: 1_250, digits: 2 }],
        },
      },
    });
    expect(await operator.post('/jobs/mended/start', { reason })).toMatchObject({
      ...{ status: 200, body: { state: 'waiting', ratePerSecond: 100 } },
    });
    const look = async (): Promise<JobView | undefined> => {
      const view = (await viewer.get('/jobs/mended')).body as JobView;
      return view.state === 'done' ? view : undefined;
    };
    expect(await waitUntil(look, { what: 'the replay', ...soon })).toMatchObject({
      selection: { byState: { delivered: 1 } },
    });
    const { items } = (await viewer.get('/jobs/mended/items')).body as JobItemsPage;
    expect(items).toMatchObject([{ intent: 'coffee-club~m-3~2', state: 'delivered' }]);
    expect(await operator.post('/jobs/mended/cancel', { reason })).toMatchObject({ status: 409 });
    expect(await operator.post('/jobs', { ...job, id: 'again' })).toMatchObject({
      status: 422,
      body: { type: 'urn:loyaltyd:problem:nothing-to-replay' },
    });
    expect((await viewer.get('/jobs/nowhere')).status).toBe(404);
  });

  it('pauses a program, which then begins nothing, until somebody lifts it', async () => {
    const pause = { program: 'coffee-club', operation: 'transaction', reason };
    expect(await operator.post('/pauses', pause)).toMatchObject({ status: 200, body: { isNew: true } });
    expect(await operator.post('/pauses', pause)).toMatchObject({ status: 200, body: { isNew: false } });
    await waitUntil(async () => ((await viewer.get('/pauses')).body as { items: unknown[] }).items.length === 1, {
      what: 'the pause',
      ...soon,
    });
    expect(await operator.delete('/pauses', pause)).toMatchObject({ status: 200, body: { by: 'operator' } });
    expect(await operator.delete('/pauses', pause)).toMatchObject({
      status: 404,
      body: { type: 'urn:loyaltyd:problem:no-such-pause' },
    });
  });

  it('needs no reason for a pause, lifts one that the query names, and takes no silence for everything', async () => {
    expect(await operator.post('/pauses')).toMatchObject({ status: 400, contentType: problemType });
    const paused = await operator.post('/pauses', { program: 'coffee-club' });
    expect(paused).toMatchObject({ status: 200, body: { pause: { reason: 'no reason given' } } });
    expect(await operator.delete('/pauses?program=coffee-club&operation=reward')).toMatchObject({ status: 404 });
    expect(await operator.delete('/pauses?program=coffee-club')).toMatchObject({ status: 200 });
    expect((await viewer.get('/pauses')).body).toEqual({ items: [] });
  });

  // Only ids of up to 100 characters could be asked for: the others were listed, and nobody could put them right.
  it('knows members by the longest id there is, and answers what cannot be read with a problem', async () => {
    const memberId = `${'m'.repeat(250)}/ü%`;
    expect(await viewer.get(`/members/coffee-club/${encodeURIComponent(memberId)}`)).toMatchObject({ status: 404 });
    const id = encodeURIComponent(`coffee-club~${encodeURIComponent(memberId)}~1`);
    expect(await operator.post(`/intents/${id}/replay`, { reason })).toMatchObject({ status: 404 });
    expect(await viewer.get('/members/coffee-club/m%zz')).toMatchObject({ status: 400, contentType: problemType });
  });

  it('shows what was set aside, without what may be personal in it', async () => {
    const producer = kafkaClient(harness.broker).producer();
    await producer.connect();
    const messages = [
      { key: 'm-1', value: 'Ada Lovelace, ada@example.org' },
      { key: 'm-1', value: JSON.stringify({ specversion: '1.0', id: 'x', person: { firstName: 'Ada' } }) },
    ];
    await producer.send({ topic: harness.topics.members, messages });
    await producer.disconnect();
    const look = async (): Promise<QuarantinePage | undefined> => {
      const page = (await viewer.get('/quarantine')).body as QuarantinePage;
      return page.items.length === messages.length ? page : undefined;
    };
    const { items } = await waitUntil(look, { what: 'the quarantine', ...soon });
    const records = await Promise.all(items.map(({ id }) => viewer.get(`/quarantine/${id}`)));
    expect(records.map(({ body }) => (body as { encoding: string }).encoding).toSorted()).toEqual(['masked', 'text']);
    expect(JSON.stringify(records)).not.toMatch(/Ada|example\.org/);
    expect((await viewer.get('/quarantine/999999')).status).toBe(404);
  });

  it.each([
    ['/intents?colour=red', 'invalid-request'],
    ['/intents?status=lost', 'invalid-request'],
    ['/intents?limit=0', 'invalid-request'],
    ['/intents?cursor=nonsense', 'invalid-request'],
    ['/intents?from=yesterday', 'invalid-request'],
    ['/audit?cursor=x', 'invalid-request'],
    ['/quarantine/x', 'invalid-request'],
    ['/intents/nobody', 'invalid-request'],
    ['/intents/coffee-club~m-1~99', 'no-such-intent'],
  ])('says what is wrong with %s', async (path, code) => {
    const { status, body, contentType } = await viewer.get(path);
    expect([status, contentType]).toEqual([
      code === 'no-such-intent' ? 404 : 400,
      'application/problem+json; charset=utf-8',
    ]);
    expect(body).toMatchObject({ type: `urn:loyaltyd:problem:${code}`, detail: expect.any(String) as string });
  });
});
