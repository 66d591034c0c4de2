import { spawn } from 'node:child_process';
import { startProcess, programCommand } from '#test-support';
import { waitUntil } from '#embedded';

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const shell = (script: string): { command: string; args: string[] } => ({ command: '/bin/sh', args: ['-c', script] });
const announce = `echo starting; echo '{"ready":true,"operations":"http://here"}'`;

describe('a started process', () => {
  it('is ready when it says so, and tells what it was told to tell', async () => {
    const running = await startProcess({
      ...shell(`${announce}; echo "$GREETING" >&2; exec /bin/sleep 60`),
      env: { GREETING: 'hi' },
    });
    expect(running.ready).toEqual({ ready: true, operations: 'http://here' });
    expect(running.stdout()).toMatch(/^starting\n/);
    await waitUntil(() => running.stderr() === 'hi\n', { what: 'its greeting', timeoutMs: 30_000 });

    running.kill('SIGINT');
    expect(await running.exited).toEqual({ code: null, signal: 'SIGINT' });
  });

  it('stops gently, with its own exit code', async () => {
    const running = await startProcess(shell(`trap 'exit 3' TERM; ${announce}; while :; do /bin/sleep 0.05; done`));
    expect(await running.stop()).toEqual({ code: 3, signal: null });
  });

  it('inherits nothing but what finds programs and folders', async () => {
    const running = await startProcess(shell(`${announce}; env >&2`));
    await running.exited;
    expect(running.stderr()).not.toContain('NODE_ENV');
    expect(running.stderr()).toContain('PATH=');
  });

  it('that ends instead fails with its output', async () => {
    const failing = startProcess(shell('echo DATABASE_URL is missing >&2; exit 2'));
    await expect(failing).rejects.toThrow(/ended with 2[^]*DATABASE_URL is missing/);
  });

  it('that stays silent fails, and is gone', async () => {
    const started = startProcess({ ...shell('echo $$; exec /bin/sleep 60'), readyTimeoutMs: 300 });
    const { message } = await started.then(
      () => new Error('it was ready'),
      (error: unknown) => error as Error,
    );
    expect(message).toContain('timed out after 300 ms');
    expect(isAlive(Number(/^\d+$/m.exec(message)?.[0]))).toBe(false);
  });

  it('that does not exist fails', async () => {
    await expect(startProcess({ command: '/no/such/program', args: [] })).rejects.toThrow('ENOENT');
  });

  it('is killed when whoever started it is killed', async () => {
    const { command, args, cwd } = programCommand('test/support/process/fixtures/start-and-wait.ts');
    const parent = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    parent.stdout.on('data', (chunk) => (output += String(chunk)));
    const closed = new Promise((resolve) => parent.once('close', resolve));
    const pid = await waitUntil(() => Number(output.split('\n')[0]), { what: 'the child', timeoutMs: 60_000 });
    expect(isAlive(pid)).toBe(true);

    parent.kill('SIGKILL');
    await closed;
    await waitUntil(() => !isAlive(pid), { what: 'the end of the child', timeoutMs: 30_000 });
  });
});
