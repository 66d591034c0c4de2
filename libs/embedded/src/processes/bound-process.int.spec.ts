import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundProcessGuard, startBoundProcess } from './bound-process.js';
import { waitUntil } from './wait-until.js';

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a bound process', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-bound-'));
    await mkdir(join(folder, 'data'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const start = (script: string, graceMs = 5_000) =>
    startBoundProcess({
      command: '/bin/sh',
      args: ['-c', script],
      cwd: folder,
      logFile: join(folder, 'log'),
      graceMs,
      removeFolder: join(folder, 'data'),
    });

  const reportedPid = () =>
    waitUntil(
      () => existsSync(join(folder, 'log')) && Number(readFileSync(join(folder, 'log'), 'utf8').split('\n')[0]),
      {
        what: 'the pid',
        timeoutMs: 60_000,
      },
    );

  it('ends with its own exit code and has its folder removed', async () => {
    const bound = await start('echo some words; exit 7');

    expect(await bound.exited).toBe(7);
    expect(bound.logTail()).toBe('some words');
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  it('tells a missing command by exit code 127', async () => {
    const bound = await startBoundProcess({
      command: '/no/such/command',
      args: [],
      cwd: folder,
      logFile: join(folder, 'log'),
    });

    expect(await bound.exited).toBe(127);
  });

  it('gets the stop signal first', async () => {
    const bound = await start("trap 'echo told; exit 0' TERM; echo $$; while :; do /bin/sleep 0.05; done");
    const pid = await reportedPid();

    await bound.stop();

    expect(bound.logTail()).toMatch(/told$/);
    expect(isAlive(pid)).toBe(false);
    expect(bound.isRunning()).toBe(false);
  });

  it('is killed after the grace', async () => {
    const bound = await start("trap '' TERM; echo $$; while :; do /bin/sleep 0.05; done", 1_000);
    const pid = await reportedPid();

    await bound.stop();

    expect(await bound.exited).toBe(137);
    expect(isAlive(pid)).toBe(false);
  });

  it('ends when its parent is killed', async () => {
    // The guard's standard input is the parent's pipe; here a shell plays the parent.
    await writeFile(join(folder, 'guard.sh'), boundProcessGuard);
    const script = `/usr/bin/mkfifo ${folder}/pipe; sh ${folder}/guard.sh TERM 5 ${folder}/data sh -c 'echo $$; exec /bin/sleep 60' \
      <${folder}/pipe >${folder}/log & exec /bin/sleep 60 >${folder}/pipe`;
    const parent = spawn('/bin/sh', ['-c', script], { stdio: 'ignore' });
    const pid = await reportedPid();
    expect(isAlive(pid)).toBe(true);

    parent.kill('SIGKILL');

    await waitUntil(() => !isAlive(pid), { what: 'its end', timeoutMs: 30_000 });
    await waitUntil(() => !existsSync(join(folder, 'data')), { what: 'the clean-up', timeoutMs: 30_000 });
  });
});
