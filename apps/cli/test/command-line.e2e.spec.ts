import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const commandTimeoutMs = 60_000;

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command with nothing in its environment but what finds programs. */
const run = (command: string, ...args: readonly string[]): Promise<Run> =>
  new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
    execFile(command, args, { cwd: root, env, timeout: commandTimeoutMs }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, stdout, stderr });
      else reject(new Error(`${command} did not end: ${stderr}`, { cause: error }));
    });
  });

const loyaltyd = (...args: readonly string[]): Promise<Run> =>
  run(process.execPath, join(root, 'apps/cli/bin/loyaltyd.js'), ...args);

describe('loyaltyd', () => {
  it('helps by npx, and lists the commands that work', async () => {
    const { code, stdout } = await run('npx', '--no-install', 'loyaltyd', '--help');
    expect(code).toBe(0);
    const commands = [...stdout.matchAll(/^ {2}([a-z-]+) .*/gm)].map(([, name]) => name);
    const keys = ['rotate-keys', 'make-key', 'rewrap-keys'];
    const accepting = ['accept-gap', 'accept-programs', 'own', 'disown', 'shard'];
    const daemon = ['init', 'start', 'dev', 'migrate', 'rebuild', ...keys, 'maintain', ...accepting];
    const producers = ['lint', 'trigger', 'send'];
    const act = [
      'replay',
      'resolve',
      'ask',
      'doubts',
      'settle',
      'correct',
      'pause',
      'resume',
      'cancel',
      'resubmit',
      'discard',
    ];
    const bulk = ['reconcile', 'reread', 'reread-topic', 'schedule', 'provision', 'erase', 'export'];
    const service = ['reload', 'doctor', 'notices', 'login'];
    expect(commands).toEqual([...daemon, ...producers, 'find', 'get', 'describe', ...act, ...bulk, ...service, 'help']);
  });

  it('tells its version', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly version: string };
    expect(await loyaltyd('--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
  });

  it('refuses wrong usage', async () => {
    expect(await loyaltyd('nonsense')).toMatchObject({ code: 2, stdout: '' });
  });

  it('does not start without its environment, and says what is missing, one line per variable', async () => {
    const { code, stdout, stderr } = await loyaltyd('start');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const names = stderr
      .trimEnd()
      .split('\n')
      .map((line) => /^([A-Z_]+): \S/.exec(line)?.[1] ?? line);
    expect(names).toEqual(expect.arrayContaining(['KAFKA_BROKERS', 'DATABASE_URL', 'WALLET_BASE_URL', 'OPS_TOKENS']));
    expect(new Set(names).size).toBe(names.length);
  });

  it('accepts no gap of something that is no partition, nor without a database', async () => {
    const reason = ['--reason', 'drill'];
    expect(await loyaltyd('accept-gap', 'purchases', ...reason)).toMatchObject({ code: 2, stdout: '' });
    const { code, stderr } = await loyaltyd('accept-gap', 'loyalty.purchases/0', ...reason);
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'DATABASE_URL: must be set\n' });
  });

  it('accepts no change of the programs file without a name, nor without a database and keys', async () => {
    const words = ['accept-programs', 'club.purchaseKey', '--reason', 'drill'];
    expect(await loyaltyd(...words)).toMatchObject({ code: 2, stdout: '' });
    const { code, stderr } = await loyaltyd(...words, '--by', 'ann');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'DATABASE_URL: must be set\nLOYALTYD_ENCRYPTION_KEY: must be set\n',
    });
  });

  it('rotates no keys without a database and keys', async () => {
    const { code, stderr } = await loyaltyd('rotate-keys');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'DATABASE_URL: must be set\nLOYALTYD_ENCRYPTION_KEY: must be set\n',
    });
  });

  it('does not migrate without a database', async () => {
    const { code, stderr } = await loyaltyd('migrate', '--plan');
    expect(code).toBe(2);
    expect(stderr).toContain('DATABASE_URL: ');
  });
});
