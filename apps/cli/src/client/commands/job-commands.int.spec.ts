import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { FakeApi, FakeTerminalOptions, Run, Script } from '../testing/fake-api.js';
import { problem, runAgainst, startFakeApi } from '../testing/fake-api.js';
import { sampleJob, sampleReplay } from '../testing/samples.js';

const reason = 'monthly';
const why = ['--reason', reason];

describe('bulk work by command', () => {
  let api: FakeApi;
  let folder: string;

  beforeAll(async () => {
    api = await startFakeApi();
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-jobs-'));
  });

  afterAll(async () => {
    await api.close();
    await rm(folder, { recursive: true });
  });

  const run = (words: readonly string[], script: Script, options: FakeTerminalOptions = {}): Promise<Run> =>
    runAgainst(api, words, { script, ...options });

  const bodies = (): unknown[] => api.requests.filter(({ body }) => body !== null).map(({ body }) => body);

  it.each<[string[], object]>([
    [['reconcile', '--program', 'p', '--repair'], { kind: 'reconcile', program: 'p', repair: true, adopt: false }],
    [['reconcile', '--program', 'p', '--adopt'], { kind: 'reconcile', program: 'p', repair: false, adopt: true }],
    [
      ['reconcile', '--program', 'p', '--rate', '30/m', '--canary'],
      { kind: 'reconcile', program: 'p', repair: false, adopt: false, ratePerSecond: 0.5, canary: true },
    ],
    [
      ['reread-topic', '--topic', 'shop.orders', '--from', '2026-11-21T00:00:00Z'],
      { kind: 'reread-topic', topic: 'shop.orders', from: '2026-11-21T00:00:00.000Z', dryRun: true },
    ],
    [
      ['reread-topic', '--topic', 't', '--offset', '0=12', '--offset', '3=7', '--go', '--rate', '50/s'],
      { kind: 'reread-topic', topic: 't', from: { 0: 12, 3: 7 }, dryRun: false, ratePerSecond: 50 },
    ],
    [['provision', '--plan'], { kind: 'provision', apply: false }],
    [['provision', '--apply', '--canary'], { kind: 'provision', apply: true, canary: true }],
    [['provision', '--apply', '--program', 'p'], { kind: 'provision', program: 'p', apply: true }],
    [['erase', 'member', 'p/m/1'], { kind: 'erase', program: 'p', memberId: 'm/1' }],
  ])('begins by %j, follows to the end and shows the report', async (words, body) => {
    const waiting = sampleJob({ state: 'waiting', report: null, finishedAt: null });
    const looks = [{ ...waiting, state: 'running' }, sampleJob({ report: { found: 3 } })];
    const script: Script = {
      'POST /jobs': () => ({ body: waiting }),
      'GET /jobs/j-1': () => ({ body: looks.shift() }),
    };
    const { code, stdout, stderr } = await run([...words, ...why, '-o', 'json'], script);
    expect({ code, report: JSON.parse(stdout) as unknown }).toEqual({ code: 0, report: { found: 3 } });
    expect(stderr).toContain('j-1: done');
    expect(bodies()).toEqual([{ ...body, reason }]);
  });

  it('shows the report to people, and ends with 4 where items failed', async () => {
    const job = sampleJob({ progress: { looked: 10, failed: 2 }, report: { missingThere: 2 } });
    const { code, stdout } = await run(['reconcile', '--program', 'p', ...why], {
      'POST /jobs': () => ({ body: job }),
    });
    expect(code).toBe(4);
    expect(stdout).toMatch(/Progress: +10 looked, 2 failed/);
    expect(stdout).toContain('"missingThere": 2');
  });

  it('ends with 1 where the job failed or was cancelled, and says why', async () => {
    const failed = sampleJob({ state: 'failed', error: 'the partner is away', report: null });
    const result = await run(['reconcile', '--program', 'p', ...why], { 'POST /jobs': () => ({ body: failed }) });
    expect(result).toMatchObject({ code: 1 });
    expect(result.stderr).toContain('it failed: the partner is away');
    const cancelled = sampleJob({ state: 'cancelled' });
    const script: Script = { 'POST /jobs': () => ({ body: cancelled }) };
    expect(await run(['reconcile', '--program', 'p', ...why], script)).toMatchObject({ code: 1 });
  });

  it('ends at once by --no-wait, with the name of the job', async () => {
    const waiting = sampleJob({ state: 'waiting' });
    const words = ['reread', '--program', 'p', '--no-wait', '--id', 'mine', '-o', 'name', ...why];
    const result = await run(words, { 'POST /jobs': () => ({ body: waiting }) });
    expect(result).toEqual({ code: 0, stdout: 'reconcile/j-1\n', stderr: '' });
    expect(bodies()).toEqual([{ kind: 'reread', program: 'p', dryRun: false, reason, id: 'mine' }]);
  });

  it('erases nobody whom a person does not mean', async () => {
    const script: Script = { 'POST /jobs': () => ({ body: sampleJob({ kind: 'erase' }) }) };
    const asked = await run(['erase', 'member', 'p/m', ...why], script, { answers: ['n'] });
    expect(asked).toMatchObject({ code: 1, stdout: '' });
    expect(asked.stderr).toContain('Erase p/m for ever?');
    expect(api.requests).toEqual([]);
    expect(await run(['erase', 'member', 'p/m', '--yes', ...why], script, { answers: [] })).toMatchObject({ code: 0 });
  });

  describe('export', () => {
    const pages: Readonly<Record<string, object>> = {
      '': { items: [{ line: 1 }, { line: 2 }], nextCursor: 'a' },
      a: { items: [], nextCursor: 'b' },
      b: { items: [{ line: 3, text: '\u009b' }], nextCursor: null },
    };
    const script: Script = {
      'POST /jobs': () => ({ body: sampleJob({ kind: 'export' }) }),
      'GET /jobs/j-1/lines': ({ query }) => ({ body: pages[query['cursor'] ?? ''] }),
    };
    const lines = '{"line":1}\n{"line":2}\n{"line":3,"text":"\\u009b"}\n';

    it('writes a line for each to standard output', async () => {
      const words = ['export', '--file', '-', '--program', 'p', '--from', '2026-11-01T00:00:00+01:00', ...why];
      const { code, stdout } = await run(words, script);
      expect({ code, stdout }).toEqual({ code: 0, stdout: lines });
      expect(bodies()).toEqual([{ kind: 'export', program: 'p', from: '2026-10-31T23:00:00.000Z', reason }]);
    });

    it('writes a file for this user alone, which is there when it is whole', async () => {
      const output = join(folder, 'export.ndjson');
      const { code, stdout, stderr } = await run(['export', '--file', output, ...why], script);
      expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: '' });
      expect(stderr).toContain(`3 lines in ${output}`);
      expect(await readFile(output, 'utf8')).toBe(lines);
      expect((await stat(output)).mode & 0o777).toBe(0o600);
    });

    it('leaves nothing that looks whole where it breaks off', async () => {
      const output = join(folder, 'broken.ndjson');
      const broken: Script = {
        ...script,
        'GET /jobs/j-1/lines': ({ query }) =>
          query['cursor'] === undefined ? { body: pages[''] } : problem(503, 'database-away'),
      };
      expect(await run(['export', '--file', output, ...why], broken)).toMatchObject({ code: 1 });
      expect((await readdir(folder)).filter((name) => name.startsWith('broken'))).toEqual([]);
      const away = await run(['export', ...why], script, { readsMax: 1 });
      expect(away).toMatchObject({ code: 1 });
      expect(away.stderr).toContain('incomplete');
    });

    it('fetches nothing of one that failed', async () => {
      const failed: Script = { 'POST /jobs': () => ({ body: sampleJob({ kind: 'export', state: 'failed' }) }) };
      expect(await run(['export', ...why], failed)).toMatchObject({ code: 1, stdout: '' });
      expect(await run(['export', '-o', 'table'], failed)).toMatchObject({ code: 2 });
    });
  });

  it('says of each job that waits for a pause what holds it, and asks for pauses only where one may', async () => {
    const pause = { program: 'coffee-club', operation: 'transaction', factor: null };
    const replay = sampleReplay({ state: 'running', finishedAt: null });
    const exporting = sampleJob({ id: 'e', kind: 'export', state: 'running' });
    const held: Script = {
      'GET /jobs': () => ({ body: { items: [replay, exporting] } }),
      'GET /jobs/r-1': () => ({ body: replay }),
      'GET /pauses': () => ({ body: { items: [pause, { ...pause, operation: 'reward' }] } }),
    };
    const listed = await run(['get', 'jobs'], held);
    expect(listed.stdout).toMatch(/^replay\/r-1 +running, waits for a pause /m);
    expect(listed.stdout).toMatch(/^export\/e +running /m);
    const described = await run(['describe', 'job', 'replay/r-1'], held);
    expect(described.stdout).toMatch(/^Waits: +for a pause: coffee-club\/transaction$/m);
    const over: Script = { 'GET /jobs': () => ({ body: { items: [sampleReplay()] } }) };
    expect((await run(['get', 'jobs'], over)).stdout).not.toContain('waits');
    expect(api.requests.map(({ call }) => call)).toEqual(['GET /jobs']);
  });
});
