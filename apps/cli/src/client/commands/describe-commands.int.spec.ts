import type { FakeApi, FakeTerminalOptions, Run, Script } from '../testing/fake-api.js';
import { problem, runAgainst, startFakeApi } from '../testing/fake-api.js';
import { sampleIntent, sampleJob, sampleReplay } from '../testing/samples.js';

const at = '2026-11-20T10:00:00.000Z';
const attempt = {
  attempt: 1,
  begunAt: at,
  endedAt: at,
  durationMs: 12,
  outcome: 'AttemptRejected',
  code: 'refused',
  phase: 'answered',
  request: { body: { amount: 12.5 } },
  response: { status: 400, body: 'no \u001b[2Jattribute' },
  nextTryAt: null,
};
const event = { version: 3, type: 'IntentParked', at, attempt: null, data: { reason: 'rejected' }, evidence: null };

describe('loyaltyd describe', () => {
  let api: FakeApi;

  beforeAll(async () => {
    api = await startFakeApi();
  });

  afterAll(() => api.close());

  const run = (words: readonly string[], script: Script, options: FakeTerminalOptions = {}): Promise<Run> =>
    runAgainst(api, words, { script, ...options });

  const story = (changes: object = {}): object => ({
    ...sampleIntent(),
    isErased: false,
    command: { kind: 'transaction' },
    sourceRecord: { headers: '{"ce_id": "1"}', value: '{"program": "coffee-club"}' },
    events: [event],
    attempts: [attempt],
    nextRequest: null,
    ...changes,
  });

  const intent = (changes: object = {}): Script => ({
    'GET /intents/coffee-club~m-1~2': () => ({ body: story(changes) }),
    'GET /groups': () => ({
      body: { items: [{ program: 'coffee-club', fingerprint: 'f0f0', wording: 'campaign: text!' }] },
    }),
  });

  it('says what the partner says, and from where it came', async () => {
    const of = async (changes: object): Promise<string> =>
      (await run(['describe', 'intent', 'coffee-club~m-1~2'], intent(changes))).stdout;
    const told = await of({ storeId: 'hamburg', source: '/pos/hamburg' });
    expect(told).toMatch(/^Partner says: +campaign: text!$/m);
    expect(told).toMatch(/^Store: +hamburg$/m);
    expect(told).toMatch(/^Source: +\/pos\/hamburg$/m);
    expect(await of({ fingerprint: 'f1f1' })).toMatch(/^Partner says: +masked: fewer than five members/m);
    expect(await of({ status: 'delivered' })).not.toContain('Partner says');
  });

  it('tells an intent with its attempts, requests, answers and events, and what can be done', async () => {
    const { code, stdout } = await run(['describe', 'intent', 'coffee-club~m-1~2'], intent());
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Status: +parked: rejected$/m);
    expect(stdout).toMatch(/^Record: +loyalty\.purchases\/3@42$/m);
    expect(stdout).toMatch(/^ +1 +2026-11-20T10:00:00\.000Z +12 ms +AttemptRejected +refused +answered +-$/m);
    expect(stdout).toContain('"amount": 12.5');
    expect(stdout).toContain('no \\u001b[2Jattribute');
    expect(stdout).toContain('IntentParked');
    expect(stdout).toContain("loyaltyd replay intent 'coffee-club~m-1~2'");
    expect(stdout).toContain('"program": "coffee-club"');
  });

  it('advises nobody to replay what may have taken effect', async () => {
    const { stdout } = await run(['describe', 'intent', 'coffee-club~m-1~2'], intent({ reason: 'unknown-outcome' }));
    expect(stdout).toContain('loyaltyd resolve intent');
    expect(stdout).not.toContain('loyaltyd replay intent');
  });

  it('shows the request that would be made now', async () => {
    const nextRequest = { method: 'POST', path: '/101/programs', body: null, problems: ['attributes.shop: unknown'] };
    const { stdout } = await run(['describe', 'intent', 'coffee-club~m-1~2'], intent({ nextRequest }));
    expect(stdout).toContain('Would be sent now:\n  POST /101/programs\n  ! attributes.shop: unknown\n');
  });

  it('writes what the API answered as JSON, and the name alone', async () => {
    const words = ['describe', 'intent', 'coffee-club~m-1~2', '-o'];
    expect(JSON.parse((await run([...words, 'json'], intent())).stdout)).toEqual(story());
    expect((await run([...words, 'jsonl'], intent())).stdout.trimEnd().split('\n')).toHaveLength(1);
    expect((await run([...words, 'name'], intent())).stdout).toBe('coffee-club~m-1~2\n');
    expect((await run([...words, 'yaml'], intent())).stdout).toContain('\nstatus: parked\n');
  });

  it('ends with 3 where there is no such thing', async () => {
    const script: Script = { 'GET /intents/x': () => problem(404, 'no-such-intent') };
    expect(await run(['describe', 'intent', 'x'], script)).toMatchObject({ code: 3, stdout: '' });
    expect(await run(['describe', 'quarantine', 'x'], {})).toMatchObject({ code: 2, stdout: '' });
  });

  it('tells a member with the pass and what is queued', async () => {
    const pass = {
      passId: 7,
      serialNumber: 's',
      ...{ downloadUrl: '•••', downloadUrlApple: null, downloadUrlGoogle: null },
    };
    const lane = { state: 'blocked', dueAt: null, isHeld: false, next: 'coffee-club~m-1~2', queued: 3 };
    const body = {
      ...{ program: 'coffee-club', memberId: 'm-1', generation: 1, createdAt: at, isErased: false, passKnown: 'known' },
      ...{ pass, lane, intents: [sampleIntent()], setAside: { items: [], hasMore: false } },
    };
    const script: Script = { 'GET /members/coffee-club/m-1': () => ({ body }) };
    const { stdout } = await run(['describe', 'member', 'coffee-club/m-1'], script);
    expect(stdout).toMatch(/^Serial number: +s$/m);
    expect(stdout).not.toMatch(/Download|•/);
    expect(stdout).toMatch(/^Lane: +blocked$/m);
    expect(stdout).toMatch(/^ +coffee-club~m-1~2 +parked/m);
  });

  it('tells a record that was set aside, and what became of it', async () => {
    const record = {
      ...{ id: 7, reason: 'invalid', detail: 'data.total: required', topic: 't', partition: 0, offset: 9, bytes: 3 },
      ...{ source: null, store: null, amount: null },
      ...{
        producedAt: at,
        recordedAt: at,
        isReadable: true,
        key: 'm-1',
        headers: '{}',
        value: null,
        encoding: 'masked',
      },
      ...{ state: 'resubmitted', settled: { at, by: 'ann', why: 'mended', result: 'recorded', intent: 'p~m~1' } },
    };
    const { stdout } = await run(['describe', 'quarantine', '7'], { 'GET /quarantine/7': () => ({ body: record }) });
    expect(stdout).toMatch(/^Detail: +data\.total: required$/m);
    expect(stdout).toMatch(/^State: +resubmitted: recorded$/m);
    expect(stdout).toMatch(/^Intent: +p~m~1$/m);
    expect(stdout).toContain('no JSON, hence not shown');
  });

  it('tells a replay with what failed of it, and a job with its report', async () => {
    const item = {
      intent: 'p~m~1',
      state: 'parked',
      forecast: 'was-refused',
      overtaken: 0,
      sentAt: at,
      detail: 'rejected',
    };
    const replay = await run(['describe', 'job', 'replay/r-1'], {
      'GET /jobs/r-1': () => ({ body: sampleReplay({}, { byState: { delivered: 1, parked: 1 } }) }),
      'GET /jobs/r-1/items': ({ query }) => ({
        body: { items: query['state'] === 'parked' ? [item] : [], nextCursor: null },
      }),
    });
    expect(replay.stdout).toMatch(/^Started: +2026-11-20T10:00:00.000Z \(.* ago\) by ann: mended$/m);
    expect(replay.stdout).toMatch(/^Result: +1 delivered, 1 parked$/m);
    expect(replay.stdout).toMatch(/^ +p~m~1 +parked +was-refused/m);
    const script: Script = { 'GET /jobs/j-1': () => ({ body: sampleJob() }) };
    const job = await run(['describe', 'job', 'reconcile/j-1'], script);
    expect(job.stdout).toContain('"missingThere": 0');
  });
});
