import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { FakeAnswer, FakeApi, FakeTerminalOptions, Run, Script } from '../testing/fake-api.js';
import { problem, runAgainst, startFakeApi } from '../testing/fake-api.js';
import { sampleIntent, sampleJob, sampleReplay } from '../testing/samples.js';

const why = ['--reason', 'the partner has mended it'];
const reason = why[1];
const id = 'coffee-club~m%7E4~2';

describe('acting by command', () => {
  let api: FakeApi;
  let folder: string;

  beforeAll(async () => {
    api = await startFakeApi();
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-act-'));
  });

  afterAll(async () => {
    await api.close();
    await rm(folder, { recursive: true });
  });

  const run = (words: readonly string[], script: Script, options: FakeTerminalOptions = {}): Promise<Run> =>
    runAgainst(api, words, { script, ...options });

  const file = async (text: string): Promise<string> => {
    const path = join(folder, 'content.json');
    await writeFile(path, text);
    return path;
  };

  const bodies = (): unknown[] => api.requests.map(({ body }) => body);
  const calls = (): string[] => api.requests.map(({ call }) => call);
  const standing = (status: 'pending' | 'cancelled' | 'delivered') => (): FakeAnswer => ({
    body: { intent: sampleIntent({ id, status, reason: null }), overtaken: 3 },
  });

  it('replays, cancels and resolves one intent by the id that is shown', async () => {
    const replayed = await run(['replay', 'intent', id, ...why], {
      [`POST /intents/${id}/replay`]: standing('pending'),
    });
    expect(replayed).toMatchObject({ code: 0, stderr: '' });
    expect(replayed.stdout).toBe(`${id} is pending\n3 later intents of its member had been settled before it\n`);
    expect(bodies()).toEqual([{ reason }]);
    const cancelled = { [`POST /intents/${id}/cancel`]: standing('cancelled') };
    expect(await run(['cancel', 'intent', id, ...why], cancelled)).toMatchObject({ code: 0 });
    expect(bodies()).toEqual([{ reason }]);
    expect(await run(['cancel', 'intent', id, '--not-delivered', ...why], cancelled)).toMatchObject({ code: 0 });
    expect(bodies()).toEqual([{ notDelivered: true, reason }]);
    const words = ['resolve', 'intent', id, '--as', 'delivered', ...why, '-o', 'name'];
    const resolved = await run(words, { [`POST /intents/${id}/resolve`]: standing('delivered') });
    expect(resolved).toEqual({ code: 0, stdout: `${id}\n`, stderr: '' });
    expect(bodies()).toEqual([{ as: 'delivered', reason }]);
  });

  it.each([
    ['replay', [], {}],
    ['resolve', ['--as', 'not-delivered'], { as: 'not-delivered' }],
  ] as const)('insists on what was put back often where it is told to: %s --force', async (verb, words, says) => {
    const answers = { [`POST /intents/${id}/${verb}`]: standing('pending') };
    expect(await run([verb, 'intent', id, ...words, '--force', ...why], answers)).toMatchObject({ code: 0 });
    expect(bodies()).toEqual([{ ...says, reason, force: true }]);
  });

  it('tells why the server refuses in one line, and ends by what it is', async () => {
    const refused = (answer: FakeAnswer): Promise<Run> =>
      run(['replay', 'intent', id, ...why, '-o', 'json'], { [`POST /intents/${id}/replay`]: () => answer });
    expect(await refused(problem(409, 'already-settled', 'It is delivered.'))).toEqual({
      ...{ code: 1, stdout: '' },
      stderr: 'loyaltyd: It is refused: It is delivered. (already-settled)\n',
    });
    expect(await refused(problem(403, 'role', 'This needs the role operator.'))).toMatchObject({ code: 5 });
    expect(await refused(problem(404, 'no-such-intent'))).toMatchObject({ code: 3 });
    expect(await refused(problem(400, 'invalid-request', '✖ Too small\n  → at reason'))).toMatchObject({
      ...{ code: 2 },
      stderr: 'loyaltyd: It is refused: Too small → at reason (invalid-request)\n',
    });
    expect(await refused({ status: 502, body: '<html>' })).toMatchObject({ code: 1 });
    expect(await refused({ status: 302, body: '', headers: { location: 'http://elsewhere' } })).toMatchObject({
      code: 1,
    });
  });

  it.each([
    [['replay', 'intent', id]],
    [['replay', 'intent', id, '--reason', ' ']],
    [['resolve', 'intent', id, ...why]],
    [['resolve', 'intent', id, '--as', 'maybe', ...why]],
    [['correct', 'intent', id, ...why]],
    [['correct', 'intent', id, '--file', '/nowhere', ...why]],
    [['resolve', 'intent', id, '--as', 'delivered']],
    [['discard', 'quarantine', '1']],
    [['pause', '--operation', 'nonsense', ...why]],
    [['erase', 'member', 'nobody', ...why]],
    [['provision', ...why]],
    [['provision', '--plan', '--apply', ...why]],
    [['discard', 'quarantine', ...why]],
    [['discard', 'quarantine', '1', '--query', 'topic=t', ...why]],
    [['discard', 'quarantine', '--query', 'topic=t', ...why]],
    [['resubmit', 'quarantine', '1', '2', '--file', 'x', ...why]],
    [['resubmit', 'quarantine', 'x', ...why]],
    [['cancel', 'job', 'j-1', ...why]],
  ])('refuses %j as wrong usage, and asks nothing', async (words) => {
    expect(await run(words, {})).toMatchObject({ code: 2, stdout: '' });
    expect(calls()).toEqual([]);
  });

  it('corrects by a whole command or by a patch, and shows what changed and what would be sent', async () => {
    const changes = [{ path: 'attributes.shop', from: 'x', to: null }];
    const nextRequest = { method: 'POST', path: '/101/x', body: { amount: 1 }, problems: [] };
    const body = { intent: sampleIntent({ id }), changes, nextRequest };
    const script: Script = { [`POST /intents/${id}/correct`]: () => ({ body }) };
    const path = await file('{"amount": 1}');
    const { code, stdout } = await run(['correct', 'intent', id, '--file', path, ...why], script);
    expect(code).toBe(0);
    expect(stdout).toContain('attributes.shop: "x" -> nothing');
    expect(stdout).toContain('POST /101/x');
    expect(bodies()).toEqual([{ reason, command: { amount: 1 } }]);
    const input = '{"attributes": {"shop": null}}';
    await run(['correct', 'intent', id, '--patch', '-', ...why], script, { input });
    expect(bodies()).toEqual([{ reason, patch: { attributes: { shop: null } } }]);
    const broken = await run(['correct', 'intent', id, '--file', await file('ada@example.org'), ...why], script);
    expect(broken).toMatchObject({ code: 2, stdout: '' });
    expect(broken.stderr).not.toContain('ada');
  });

  it('pauses and resumes what is named, and nothing else', async () => {
    const pause = {
      program: 'coffee-club',
      operation: null,
      factor: null,
      until: null,
      since: '2026-11-20T10:00:00Z',
      by: 'ann',
      reason,
    };
    const script: Script = {
      'POST /pauses': () => ({ body: { pause, isNew: true } }),
      'DELETE /pauses': () => ({ body: { ...pause, held: [] } }),
    };
    const paused = await run(['pause', '--program', 'coffee-club', ...why], script);
    expect(paused).toEqual({ code: 0, stdout: 'paused: every operation of coffee-club\n', stderr: '' });
    expect(bodies()).toEqual([{ program: 'coffee-club', reason }]);
    const lifted = await run(['resume', '--program', 'coffee-club', '--operation', 'reward', ...why], script);
    expect(lifted).toMatchObject({ code: 0 });
    expect(bodies()).toEqual([{ program: 'coffee-club', operation: 'reward', reason }]);
  });

  it.each([
    [['pause'], 'POST /pauses', {}],
    [['resume', '--program', 'p'], 'DELETE /pauses', { program: 'p' }],
    [['pause', 'job', 'replay/r-1'], 'POST /jobs/r-1/pause', {}],
    [['resubmit', 'quarantine', '7'], 'POST /quarantine/7/resubmit', {}],
    [
      ['reconcile', '--program', 'p', '--no-wait'],
      'POST /jobs',
      { kind: 'reconcile', program: 'p', repair: false, adopt: false },
    ],
    [['erase', 'member', 'p/m-1', '--no-wait'], 'POST /jobs', { kind: 'erase', program: 'p', memberId: 'm-1' }],
    [['export'], 'POST /jobs', { kind: 'export' }],
  ])('needs nobody to say why for %j', async (words, call, says) => {
    await run(words, { [call]: () => problem(403, 'not-allowed') });
    expect(calls()).toEqual([call]);
    expect(bodies()).toEqual([{ ...says, reason: 'asked for on the command line' }]);
  });

  it.each(['pause', 'resume', 'cancel'])('can %s a job, which has a reason of its own', async (verb) => {
    const script: Script = { [`POST /jobs/r-1/${verb}`]: () => ({ body: sampleReplay() }) };
    expect(await run([verb, 'job', 'replay/r-1', ...why], script)).toMatchObject({ code: 0, stderr: '' });
    expect(bodies()).toEqual([{ reason }]);
  });

  describe('on quarantined records', () => {
    const settled = (record: number) => (): FakeAnswer => ({
      body: { id: record, result: 'recorded', intent: id, reason: null, detail: '' },
    });

    it('asks on until all of a record batch is taken in, and says how many records became what', async () => {
      const records = { recorded: 3, duplicate: 1, ignored: 0, setAside: 2 };
      let asked = 0;
      const { code, stdout } = await run(['resubmit', 'quarantine', '1', ...why], {
        'POST /quarantine/1/resubmit': () => {
          asked += 1;
          if (asked < 3) return problem(409, 'partly-resubmitted', 'it goes on at offset 7');
          return { body: { id: 1, result: 'recorded', intent: null, reason: null, detail: '', records } };
        },
      });
      expect({ code, asked }).toEqual({ code: 0, asked: 3 });
      expect(stdout).toContain('1: recorded: 3 recorded, 1 duplicate, 0 ignored, 2 set aside by themselves\n');
    });

    it('goes on after one that is refused', async () => {
      const script: Script = {
        'POST /quarantine/1/resubmit': settled(1),
        'POST /quarantine/2/resubmit': () => problem(422, 'still-invalid', 'data.total: required'),
        'POST /quarantine/3/resubmit': settled(3),
      };
      const { code, stdout, stderr } = await run(['resubmit', 'quarantine', '1', '2', '3', ...why], script);
      expect({ code, stdout }).toEqual({
        code: 4,
        stdout: `1: recorded, ${id}\n3: recorded, ${id}\n2 resubmitted, 1 failed\n`,
      });
      expect(stderr).toContain('2: It is refused: data.total: required');
    });

    it('goes on after one that takes an admin, and says so with 5 where all do', async () => {
      const forbidden = (): FakeAnswer =>
        problem(403, 'needs-admin', 'This needs the role admin, because of data.erase.');
      const script: Script = { 'POST /quarantine/1/resubmit': forbidden, 'POST /quarantine/2/resubmit': settled(2) };
      const some = await run(['resubmit', 'quarantine', '1', '2', ...why], script);
      expect([some.code, some.stdout]).toEqual([4, `2: recorded, ${id}\n1 resubmitted, 1 failed\n`]);
      expect(some.stderr).toContain('because of data.erase. (needs-admin)');
      expect(await run(['resubmit', 'quarantine', '1', ...why], script)).toMatchObject({ code: 5 });
    });

    it('does not go on where all would be refused', async () => {
      const script: Script = { 'POST /quarantine/1/discard': () => problem(403, 'role') };
      expect(await run(['discard', 'quarantine', '1', '2', ...why], script)).toMatchObject({ code: 5 });
      expect(calls()).toEqual(['POST /quarantine/1/discard']);
    });

    it('hands over a corrected value as it stands in the file', async () => {
      const text = '{"total": 12345678901234567890}';
      await run(['resubmit', 'quarantine', '1', '--file', await file(text), ...why], {
        'POST /quarantine/1/resubmit': settled(1),
      });
      expect(bodies()).toEqual([{ reason, corrected: { value: text } }]);
    });

    const refusedBy = [{ rule: 'invalid: data.total.minor: expected number', records: 30 }];
    const byForecast = { 'will-be-taken': 1, 'refused-again': 30 };
    const ofMany = { items: 31, members: null, money: [], byState: { waiting: 31 }, byForecast };
    const trying = sampleJob({
      ...{ id: 'r', kind: 'resubmit', program: null, state: 'running', startedAt: null, startedBy: null },
      ...{ progress: { tried: 4 }, report: null, selection: ofMany },
    });
    const plan = { ...trying, state: 'planned' as const, selection: { ...ofMany, refusedBy } };
    const done = {
      ...{ ...plan, state: 'done' as const, startedAt: plan.createdAt },
      selection: { ...ofMany, byState: { done: 31 } },
    };
    const taken = { intent: null, record: 7, operation: null, amount: null, purchaseId: null, storeId: null };
    const item = { ...taken, forecast: 'will-be-taken', overtaken: 0, state: 'waiting', detail: null, sentAt: null };
    const becomes = [
      { result: 'taken', why: null, event: '{"id":"e"}', calls: [{ operation: 'transaction', request: null }] },
    ];
    const changes = [{ path: 'value.data.total.minor', from: '1250', to: 1_250 }];
    const script: Script = {
      'POST /jobs': () => ({ body: trying }),
      'GET /jobs/r': () => ({ body: plan }),
      'GET /jobs/r/items': () => ({ body: { items: [{ ...item, changes, becomes }], nextCursor: null } }),
      'POST /jobs/r/start': () => ({ body: done }),
    };
    const words = [
      'resubmit',
      'quarantine',
      '-q',
      'source=/pos/graz/till-3',
      '--as-number',
      'data.total.minor',
      ...why,
    ];

    it('deals with all that match as one job: planned, tried, shown, counted', async () => {
      const looked = await run([...words, '--dry-run', '--id', 'r'], script);
      expect(looked.code).toBe(0);
      expect(looked.stdout).toMatch(/^Forecast: +1 will-be-taken, 30 refused-again$/m);
      expect(looked.stdout).toMatch(/^Refused by: +30: invalid: data\.total\.minor: expected number$/m);
      expect(looked.stdout).toContain('value.data.total.minor: "1250" -> 1250');
      expect(looked.stdout).toContain('7 would be taken in: {"id":"e"}\n  transaction: parked\n');
      const sendAs = { path: 'data.total.minor', as: 'number' };
      const body = { kind: 'resubmit', id: 'r', query: { source: '/pos/graz/till-3' }, sendAs, reason };
      expect(bodies()[0]).toEqual(body);
      expect(await run(words, script, { answers: ['30'] })).toMatchObject({ code: 1, stdout: '' });
      const typed = await run([...words, '-o', 'name'], script, { answers: ['31'] });
      expect(typed).toMatchObject({ code: 0, stdout: 'resubmit/r\n' });
      expect(api.requests.find(({ call }) => call === 'POST /jobs/r/start')?.body).toEqual({ reason, items: 31 });
    });

    it('changes them in one way, and ends with 3 where nothing matches', async () => {
      expect(await run([...words, '--as-text', 'data.storeId', '-y'], {})).toMatchObject({ code: 2 });
      expect(await run(['discard', 'quarantine', '1', '--dry-run', ...why], {})).toMatchObject({ code: 2 });
      const none: Script = { 'POST /jobs': () => problem(422, 'nothing-to-do') };
      expect(await run(['discard', 'quarantine', '-q', 'topic=t', '-y', ...why], none)).toMatchObject({ code: 3 });
    });
  });
});
