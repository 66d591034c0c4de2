import type { FakeApi, FakeTerminalOptions, Run, Script } from './testing/fake-api.js';
import { problem, runAgainst, startFakeApi } from './testing/fake-api.js';

const checks = [
  {
    name: 'kafka.topics',
    state: 'failed',
    detail: 'loyalty.rewards is missing',
    remedy: 'create it',
    page: 'sources.md',
  },
  { name: 'postgres.version', state: 'ok', detail: '17.2', remedy: null, page: 'upgrades.md' },
];

describe('doctor and reload', () => {
  let api: FakeApi;

  beforeAll(async () => {
    api = await startFakeApi();
  });

  afterAll(() => api.close());

  const run = (words: readonly string[], script: Script, options: FakeTerminalOptions = {}): Promise<Run> =>
    runAgainst(api, words, { script, ...options });

  it('says what is wrong and how to mend it, and ends with 1', async () => {
    const { code, stdout } = await run(['doctor'], {
      'GET /doctor': () => ({ body: { ok: false, checks, durationMs: 5 } }),
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^FAILED +kafka\.topics +loyalty\.rewards is missing\n +-> create it \(docs\/sources\.md\)\nok +postgres\.version +17\.2\n/,
    );
    const well = { ok: true, checks: checks.slice(1), durationMs: 5 };
    expect(await run(['doctor', '-o', 'json'], { 'GET /doctor': () => ({ body: well }) })).toMatchObject({ code: 0 });
  });

  it('has the programs file read again, with a reason even where none was given', async () => {
    const reloaded = { changed: true, hash: 'abc', programs: ['coffee-club'], problems: [] as string[] };
    const script: Script = { 'POST /reload': () => ({ body: reloaded }) };
    const { code, stdout } = await run(['reload'], script);
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/read again/);
    expect(api.requests[0]?.body).toEqual({ reason: expect.stringMatching(/\w{3}/) as string });
    reloaded.problems.push('pod-2: programs.tea: required');
    const some = await run(['reload', '--reason', 'new tier'], script);
    expect(some).toMatchObject({ code: 4, stderr: 'loyaltyd: pod-2: programs.tea: required\n' });
    const refused: Script = { 'POST /reload': () => problem(422, 'invalid-programs', 'programs.tea: required') };
    expect(await run(['reload'], refused)).toMatchObject({ code: 1 });
    reloaded.problems = [];
    await run(['reload', '--accept', 'tea.purchaseKey', '--accept', 'tea.grantKey', '--reason', 'new tills'], script);
    expect(api.requests.at(-1)?.body).toEqual({ reason: 'new tills', accept: ['tea.purchaseKey', 'tea.grantKey'] });
  });

  it('sends a trial of notices, and ends with 4 where somebody did not take it', async () => {
    const hook = { id: 'n-1', channel: 'webhook', problem: null as string | null };
    const mail = { id: 'n-2', channel: 'mail', problem: null as string | null };
    const script: Script = { 'POST /notices/trial': () => ({ body: { deliveries: [hook, mail] } }) };
    expect(await run(['notices', 'test'], script)).toMatchObject({ code: 0, stdout: 'webhook: taken\nmail: taken\n' });
    mail.problem = 'smtp-550';
    const some = await run(['notices', 'test', '--reason', 'a new relay'], script);
    expect(some).toMatchObject({ code: 4, stdout: 'webhook: taken\nmail: NOT TAKEN (smtp-550)\n' });
    expect(api.requests.at(-1)?.body).toEqual({ reason: 'a new relay' });
  });
});
