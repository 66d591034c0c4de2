import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { FakeApi, FakeTerminalOptions, Run, Script } from './testing/fake-api.js';
import { problem, runAgainst, startFakeApi } from './testing/fake-api.js';

/** Not logged in by the environment, as `runPlayed` has it otherwise. */
const nobody = { LOYALTYD_SERVER: '', LOYALTYD_TOKEN: '' };
const pauses = {
  body: {
    items: [{ program: 'p', operation: null, factor: null, by: 'ann', reason: 'x', since: '2026-11-20T10:00:00Z' }],
  },
};
const script: Script = {
  'GET /pauses': ({ headers }) =>
    headers.authorization === 'Bearer good-token' ? pauses : problem(401, 'unauthorized'),
};

describe('loyaltyd login', () => {
  let api: FakeApi;
  let home: string;

  beforeAll(async () => {
    api = await startFakeApi();
  });

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'loyaltyd-login-'));
  });

  afterEach(() => rm(home, { recursive: true }));
  afterAll(() => api.close());

  const file = (): string => join(home, 'loyaltyd', 'profiles.json');
  const run = (words: readonly string[], options: FakeTerminalOptions = {}): Promise<Run> =>
    runAgainst(api, words, { script, ...options, env: { ...nobody, XDG_CONFIG_HOME: home, ...options.env } });
  const login = (
    flags: readonly string[] = [],
    options: FakeTerminalOptions = { input: 'good-token\n' },
  ): Promise<Run> => run(['login', '--server', `${api.server}/`, ...flags], options);

  it('keeps a server and a token that work, for this user alone, and later commands use them', async () => {
    expect(await login()).toMatchObject({ code: 0, stdout: '' });
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({
      current: 'default',
      profiles: { default: { server: api.server, token: 'good-token' } },
    });
    expect(await run(['get', 'pauses', '-o', 'name'])).toEqual({ code: 0, stdout: 'p/*\n', stderr: '' });
  });

  it('asks a person for the token', async () => {
    expect(await login([], { answers: ['good-token'] })).toMatchObject({ code: 0 });
    expect(await run(['get', 'pauses'])).toMatchObject({ code: 0 });
  });

  it('keeps nothing that does not work, and never shows a token', async () => {
    expect(await login([], { input: 'bad-token' })).toMatchObject({ code: 5 });
    const notOne = await login([], { input: 'not a token' });
    expect(notOne).toMatchObject({ code: 2 });
    expect(notOne.stderr).not.toContain('not a token');
    await expect(stat(file())).rejects.toThrow('ENOENT');
  });

  it('has several profiles, of which one is current', async () => {
    await login(['--profile', 'staging']);
    await login(['--profile', 'production']);
    const listed = await run(['login', '--list']);
    expect(listed.stdout).toBe(`  staging  ${api.server}\n* production  ${api.server}\n`);
    expect(await run(['login', '--use', '--profile', 'staging'])).toMatchObject({ code: 0 });
    expect((await run(['login', '--list'])).stdout).toContain('* staging');
    expect(await run(['login', '--remove', '--profile', 'staging'])).toMatchObject({ code: 0 });
    expect(await run(['get', 'pauses'])).toMatchObject({ code: 2 });
    expect(await run(['get', 'pauses', '--profile', 'production'])).toMatchObject({ code: 0 });
    expect(await run(['get', 'pauses'], { env: { LOYALTYD_PROFILE: 'production' } })).toMatchObject({ code: 0 });
    expect(await run(['get', 'pauses', '--profile', 'staging'])).toMatchObject({ code: 2 });
    expect(await run(['login', '--use', '--profile', 'nowhere'])).toMatchObject({ code: 2 });
  });

  it('sends the token of a profile to no other server', async () => {
    await login();
    const other = api.server.replace('127.0.0.1', 'localhost');
    const result = await run(['get', 'pauses', '--server', other]);
    expect(result).toMatchObject({ code: 2 });
    expect(result.stderr).toContain('which token?');
    expect(api.requests).toEqual([]);
  });

  it('does not quote a file of profiles that is broken', async () => {
    await login();
    await writeFile(file(), '{"profiles": {"default": {"token": "good-token"');
    const result = await run(['get', 'pauses']);
    expect(result).toMatchObject({ code: 1 });
    expect(result.stderr).not.toContain('good-token');
  });

  it.each([
    [['get', 'pauses']],
    [['get', 'pauses', '--server', 'nonsense', '--token', 't']],
    [['get', 'pauses', '--server', 'http://203.0.113.7', '--token', 't']],
    [['get', 'pauses', '--server', 'https://user:secret@203.0.113.7', '--token', 't']],
    [['get', 'pauses', '--server', 'https://203.0.113.7', '--token', 't', '--token-file', 'f']],
    [['get', 'pauses', '--server', 'https://203.0.113.7', '--token-file', '/nowhere']],
    [['get', 'pauses', '--server', 'https://203.0.113.7', '--token', 'a b']],
    [['login']],
    [['login', '--list', '--remove']],
    [['login', '--server', 'https://203.0.113.7', '--profile', 'a/b']],
  ])('refuses %j as wrong usage', async (words) => {
    expect(await run(words)).toMatchObject({ code: 2, stdout: '' });
    expect(api.requests).toEqual([]);
  });

  it.each([
    ['a command', ['get', 'pauses', '--server', 'https://203.0.113.7', '--token', 't']],
    ['a login', ['login', '--server', 'https://203.0.113.7', '--token', 't']],
  ])('%s sends no token to whoever shows a forged certificate', async (_what, words) => {
    const { code, stderr } = await run(words, { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } });
    expect([code, stderr]).toEqual([2, expect.stringContaining('NODE_TLS_REJECT_UNAUTHORIZED')]);
  });

  it('takes the token from a file, named by flag or by the environment', async () => {
    const tokenFile = join(home, 'token');
    await writeFile(tokenFile, 'good-token\n');
    expect(await run(['get', 'pauses', '--server', api.server, '--token-file', tokenFile])).toMatchObject({ code: 0 });
    const env = { LOYALTYD_SERVER: api.server, LOYALTYD_TOKEN_FILE: tokenFile };
    expect(await run(['get', 'pauses'], { env })).toMatchObject({ code: 0 });
    expect(await run(['get', 'pauses', '--token', 'bad'], { env })).toMatchObject({ code: 5 });
  });
});
