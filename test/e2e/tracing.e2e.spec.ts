import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { waitUntil } from '#embedded';
import type { ReceivedSpan, RunningProcess } from '#test-support';
import { OtlpReceiver } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import type { PartnerAnswer, PartnerRequest } from './stand-in-partner.js';
import { accepted, StandInPartner } from './stand-in-partner.js';
import { awaitRest } from './store.js';
import type { Emission } from './traffic.js';
import { enrolled, granted, produce, purchased } from './traffic.js';

const traceOfPurchase = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceOfGrant = 'a3ce929d0e0e47364bf92f3577b34da6';
const tillSpan = '00f067aa0ba902b7';
const consumer = 5;
const client = 3;

/** What comes of a reward, one answer after the other: nobody knows, refused, applied. */
const rewardAnswers: PartnerAnswer[] = [
  { status: 500, body: 'no' },
  { status: 400, body: '{"message":"not today"}' },
];
function answer(request: PartnerRequest): PartnerAnswer {
  return (request.path.includes('/rewards/') ? rewardAnswers.shift() : undefined) ?? accepted(request);
}

function withTraceInFrame({ topic, message }: Emission, traceparent: string): Emission {
  const event = JSON.parse(String(message.value)) as object;
  return { topic, message: { ...message, value: JSON.stringify({ ...event, traceparent }) } };
}

function withTraceInHeader({ topic, message }: Emission, traceparent: string): Emission {
  return { topic, message: { ...message, headers: { ...message.headers, traceparent } } };
}

/** Every module of OpenTelemetry that a process had loaded, told at its end; prom-client loads the bare API. */
async function loadedOfOtel(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  const urls = texts.flatMap((text) =>
    (JSON.parse(text) as { result: { url: string }[] }).result.map(({ url }) => url),
  );
  expect(urls.join()).toContain('libs/platform/src/tracing/open-tracing');
  return urls.filter((url) => url.includes('/@opentelemetry/') && !url.includes('/@opentelemetry/api/'));
}

describe('a purchase', () => {
  let harness: Harness;
  let partner: StandInPartner;
  let receiver: OtlpReceiver;
  let traced: RunningProcess[];
  let operations: RunningProcess;
  let folder: string;

  beforeAll(async () => {
    [harness, partner, receiver, folder] = await Promise.all([
      openHarness(),
      StandInPartner.open({ token: 'token', answer }),
      OtlpReceiver.open(),
      mkdtemp(join(tmpdir(), 'loyaltyd-tracing-')),
    ]);
    await writeFile(join(folder, 'headers'), 'x-tenant=acme%20coffee\n');
    const env = {
      ...partner.environment,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS_FILE: join(folder, 'headers'),
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    };
    [operations, ...traced] = await Promise.all([
      harness.startDaemon({
        ...partner.environment,
        LOYALTYD_ROLES: 'operations',
        OPS_TOKENS: apiTokens,
        NODE_V8_COVERAGE: join(folder, 'off'),
      }),
      harness.startDaemon({ ...env, LOYALTYD_ROLES: 'ingest' }),
      harness.startDaemon({ ...env, LOYALTYD_ROLES: 'delivery', OTEL_SERVICE_NAME: 'loyaltyd-out' }),
    ]);
  });

  afterAll(async () => {
    await Promise.all([harness.close(), partner.close(), receiver.close()]);
    await rm(folder, { recursive: true });
  });

  const spansOf = (traceId: string): ReceivedSpan[] => receiver.spans.filter((span) => span.traceId === traceId);

  const received = (traceId: string, name: string): Promise<ReceivedSpan> =>
    waitUntil(() => spansOf(traceId).find((span) => span.name === name), {
      what: `span ${name}`,
      timeoutMs: 60_000,
    });

  it('is one trace from the record over ingest and claim to the call, across processes', async () => {
    const purchase = withTraceInFrame(purchased('t-1', 't-1-p'), `00-${traceOfPurchase}-${tillSpan}-01`);
    await produce(harness.broker, harness.topics, [enrolled('t-1')]);
    await awaitRest(harness.database.url, 1);
    await produce(harness.broker, harness.topics, [purchase]);
    await awaitRest(harness.database.url, 2);
    const call = await received(traceOfPurchase, 'transaction');
    const ingest = await received(traceOfPurchase, `process ${harness.topics.purchases}`);
    const claim = await received(traceOfPurchase, 'claim');

    expect([ingest.parentSpanId, claim.parentSpanId, call.parentSpanId]).toEqual([
      tillSpan,
      ingest.spanId,
      claim.spanId,
    ]);
    expect(ingest).toMatchObject({
      kind: consumer,
      attributes: { 'messaging.system': 'kafka', 'loyaltyd.result': 'recorded' },
      resource: { 'service.name': 'loyaltyd', 'loyaltyd.roles': 'ingest', 'deployment.environment.name': 'test' },
    });
    expect(call).toMatchObject({
      kind: client,
      isError: false,
      attributes: {
        'loyaltyd.program': 'coffee-club',
        'loyaltyd.operation': 'transaction',
        'loyaltyd.attempt': 1,
        'loyaltyd.outcome': 'applied',
        'loyaltyd.code': 'applied',
        'loyaltyd.phase': 'answered',
        'http.response.status_code': 200,
      },
      resource: { 'service.name': 'loyaltyd-out', 'loyaltyd.roles': 'delivery' },
    });
    const sent = partner.requests.find(({ path }) => path.includes('/transactions'));
    expect(sent?.headers).not.toHaveProperty('traceparent');
    expect(new Set(receiver.headerValues('x-tenant'))).toEqual(new Set(['acme coffee']));
    expect(receiver.text).not.toMatch(/t-1|Ada|example\.org/);
  });

  it('without a trace gets one where it is taken in, and the log leads to it', async () => {
    const [issue] = receiver.spans.filter(({ name }) => name === 'issue');
    const [ingest] = spansOf(issue?.traceId ?? '').filter(({ kind }) => kind === consumer);
    expect(ingest?.parentSpanId).toBeNull();
    const lines = harness
      .output()
      .split('\n')
      .filter((line) => line.includes('"attempt recorded"'));
    expect(lines.find((line) => line.includes('"issue"'))).toContain(`"traceId":"${issue?.traceId ?? '?'}"`);
    expect(lines.join()).not.toContain('traceparent');
  });

  it('whose outcome is unknown says so, and is linked to from where a person had it sent again', async () => {
    const api = new ApiClient(operations, 'admin');
    const grant = withTraceInHeader(granted('t-1', 't-1-g'), `00-${traceOfGrant}-${tillSpan}-01`);
    await produce(harness.broker, harness.topics, [grant]);
    await awaitRest(harness.database.url, 3);
    const call = await received(traceOfGrant, 'reward');
    expect(call).toMatchObject({
      isError: true,
      attributes: { 'loyaltyd.outcome': 'unknown', 'loyaltyd.code': 'http-500' },
      events: [{ name: 'outcome unknown' }],
    });
    const intent = '/intents/coffee-club~t-1~3';
    expect(await api.get(intent)).toMatchObject({ status: 200, body: { traceId: traceOfGrant } });

    await api.post(`${intent}/resolve`, { as: 'not-delivered', reason: 'they have no such reward' });
    await awaitRest(harness.database.url, 3);
    await api.post(`${intent}/replay`, { reason: 'now they have' });
    await awaitRest(harness.database.url, 3);
    const [ingest] = spansOf(traceOfGrant).filter(({ kind }) => kind === consumer);
    const again = await waitUntil(
      () => receiver.spans.find(({ links }) => links.some(({ traceId }) => traceId === traceOfGrant)),
      { what: 'the linked trace', timeoutMs: 60_000 },
    );
    expect(again).toMatchObject({ name: 'claim', parentSpanId: null, links: [{ spanId: ingest?.spanId }] });
    expect(await received(again.traceId, 'reward')).toMatchObject({ isError: false });
    const outcomes = spansOf(traceOfGrant).map(({ attributes }) => attributes['loyaltyd.outcome']);
    expect(outcomes.filter((outcome) => outcome !== undefined)).toEqual(['unknown', 'rejected']);
  });

  it('is not traced where no endpoint is set: nothing of its SDK is loaded', async () => {
    expect(await operations.stop()).toMatchObject({ code: 0 });
    expect(await loadedOfOtel(join(folder, 'off'))).toEqual([]);
  });

  it('is delivered as ever where the tracing system takes everything and never answers, and the stop waits for nobody', async () => {
    await Promise.all(traced.map((daemon) => daemon.stop()));
    const silent = await OtlpReceiver.open({ isSilent: true });
    const daemon = await harness.startDaemon({
      ...partner.environment,
      LOYALTYD_ROLES: 'ingest,delivery',
      OTEL_EXPORTER_OTLP_ENDPOINT: silent.endpoint,
      NODE_V8_COVERAGE: join(folder, 'on'),
      SHUTDOWN_GRACE_MS: '10000',
    });
    const emissions = Array.from({ length: 30 }, (_, index) => enrolled(`s-${index}`));
    await produce(harness.broker, harness.topics, emissions);
    await awaitRest(harness.database.url, 3 + emissions.length);
    await waitUntil(() => silent.exports > 0 || undefined, { what: 'an export', timeoutMs: 60_000 });
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
    expect(await loadedOfOtel(join(folder, 'on'))).not.toEqual([]);
    await silent.close();
  });
});
