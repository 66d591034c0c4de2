import type { FakeApi, FakeTerminalOptions, Run, Script } from './testing/fake-api.js';
import { problem, runAgainst, startFakeApi } from './testing/fake-api.js';
import { sampleReplay } from './testing/samples.js';

const reason = 'the partner has mended it';
const query = 'status=parked operation=transaction';
const words = ['replay', 'intents', '--query', query, '--reason', reason];

describe('loyaltyd replay intents', () => {
  let api: FakeApi;

  beforeAll(async () => {
    api = await startFakeApi();
  });

  afterAll(() => api.close());

  const run = (flags: readonly string[], script: Script, options: FakeTerminalOptions = {}): Promise<Run> =>
    runAgainst(api, [...words, ...flags], { script, ...options });

  const calls = (): string[] => api.requests.map(({ call }) => call);
  const bodyOf = (index: number): Record<string, unknown> => api.requests[index]?.body as Record<string, unknown>;
  const planned = sampleReplay({ state: 'planned' }, { byState: { waiting: 2 } });

  it('asks nothing where nobody can confirm', async () => {
    const result = await run([], {});
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('--yes');
    expect(calls()).toEqual([]);
  });

  it('says by --dry-run what is to be expected, and sends nothing', async () => {
    const { code, stdout, stderr } = await run(['--dry-run'], { 'POST /jobs': () => ({ body: planned }) });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'loyaltyd: to send it, the same with --id r-1 instead of --dry-run\n',
    });
    expect(stdout).toMatch(/Forecast: +2 was-refused/);
    expect(stdout).toMatch(/At stake: +EUR 25\.00/);
    expect(bodyOf(0)).toMatchObject({
      dryRun: true,
      canary: true,
      force: false,
      query: { status: 'parked', operation: 'transaction' },
    });
  });

  it('warns of what the partner has answered with a yes already', async () => {
    const body = sampleReplay({ state: 'planned' }, { byForecast: { 'answered-yes': 2 } });
    const { stdout } = await run(['--dry-run'], { 'POST /jobs': () => ({ body }) });
    expect(stdout).toMatch(/Warning: +the partner answered 2 of them with a 2xx that proved nothing/);
  });

  it('hands over rate, canary, force and its own id', async () => {
    const flags = ['--yes', '--rate', '90/m', '--no-canary', '--force', '--id', 'mine'];
    const script: Script = { 'POST /jobs': () => ({ body: sampleReplay() }) };
    expect(await run(flags, script)).toMatchObject({ code: 0 });
    const asked = { kind: 'replay', id: 'mine', ratePerSecond: 1.5, canary: false, force: true, dryRun: false, reason };
    expect(bodyOf(0)).toMatchObject(asked);
    expect(await run(['--yes', '--rate', '5000/s'], script)).toMatchObject({ code: 2 });
  });

  it('starts what was planned dry by its id', async () => {
    const script: Script = {
      'POST /jobs': () => ({ body: planned }),
      'POST /jobs/r-1/start': () => ({ body: sampleReplay() }),
    };
    expect(await run(['--yes', '--id', 'r-1', '--rate', '5/s'], script)).toMatchObject({ code: 0 });
    expect(calls()).toEqual(['POST /jobs', 'POST /jobs/r-1/start']);
    expect(bodyOf(1)).toEqual({ reason, canary: true, ratePerSecond: 5 });
  });

  it('follows until it ends, though the server is away for a while', async () => {
    const views = [
      () => ({ body: sampleReplay({ state: 'running' }, { byState: { waiting: 2 } }) }),
      () => null,
      () => problem(503, 'database-away'),
      () => ({ body: sampleReplay({ state: 'done' }, { byState: { delivered: 1, parked: 1 } }) }),
    ];
    const script: Script = {
      'POST /jobs': () => ({ body: sampleReplay({ state: 'running' }, { byState: { waiting: 2 } }) }),
      'GET /jobs/r-1': () => (views.shift() ?? (() => null))(),
    };
    const { code, stdout, stderr } = await run(['--yes', '-o', 'json'], script);
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'done' });
    expect(stderr).toContain('replay/r-1: done, 1 delivered, 1 parked of 2');
  });

  it('ends at once by --no-wait', async () => {
    const running = sampleReplay({ state: 'running' }, { byState: { waiting: 2 } });
    const result = await run(['--yes', '--no-wait', '-o', 'name'], { 'POST /jobs': () => ({ body: running }) });
    expect(result).toEqual({ code: 0, stdout: 'replay/r-1\n', stderr: '' });
    expect(calls()).toEqual(['POST /jobs']);
  });

  it('says what to do where its canary stopped it', async () => {
    const stopped = sampleReplay({ state: 'stopped', error: '1 of the 1' }, { byState: { parked: 1, waiting: 1 } });
    const { code, stderr } = await run(['--yes'], { 'POST /jobs': () => ({ body: stopped }) });
    expect(code).toBe(4);
    expect(stderr).toContain('it stopped by itself: 1 of the 1');
    expect(stderr).toContain('loyaltyd resume job replay/r-1');
  });

  it('ends with 3 where nothing matches', async () => {
    const script: Script = { 'POST /jobs': () => problem(422, 'nothing-to-replay', 'Nothing that is parked fits.') };
    expect(await run(['--yes'], script)).toMatchObject({ code: 3, stdout: '' });
  });

  describe('with somebody to ask', () => {
    const script: Script = {
      'POST /jobs': () => ({ body: planned }),
      'POST /jobs/r-1/start': () => ({ body: sampleReplay() }),
      'POST /jobs/r-1/cancel': () => ({ body: sampleReplay({ state: 'cancelled' }) }),
    };

    it('shows the forecast and sends what was planned after a yes', async () => {
      const { code, stderr } = await run([], script, { answers: ['y'] });
      expect(code).toBe(0);
      expect(stderr).toMatch(/Forecast: +2 was-refused/);
      expect(stderr).toContain('Send 2 once more? [y/N]');
      expect(calls()).toEqual(['POST /jobs', 'POST /jobs/r-1/start']);
      expect(bodyOf(0)).toMatchObject({ dryRun: true });
    });

    it.each(['', 'n', 'yesterday'])('sends nothing after %j, and takes the plan back', async (answer) => {
      const { code, stderr } = await run([], script, { answers: [answer] });
      expect(code).toBe(1);
      expect(stderr).toContain('nothing was sent');
      expect(calls()).toEqual(['POST /jobs', 'POST /jobs/r-1/cancel']);
    });
  });

  it('starts nothing by an id that stands for another selection', async () => {
    const script: Script = { 'POST /jobs': () => problem(409, 'id-taken', 'it differs in query.operation') };
    const { code, stderr } = await run(['--yes', '--id', 'r-1'], script);
    expect(code).toBe(1);
    expect(stderr).toContain('it differs in query.operation');
    expect(calls()).toEqual(['POST /jobs']);
  });

  it('does not call it whole while something of it stands still behind what blocks its member', async () => {
    const done = sampleReplay({ state: 'done' }, { byState: { delivered: 1, sent: 1 } });
    expect(await run(['--yes'], { 'POST /jobs': () => ({ body: done }) })).toMatchObject({ code: 4 });
  });

  it('does not pretend to know whether it was done where the connection breaks', async () => {
    const { code, stderr } = await run(['--yes'], { 'POST /jobs': () => null });
    expect(code).toBe(1);
    expect(stderr).toContain('it may have been done');
  });
});
