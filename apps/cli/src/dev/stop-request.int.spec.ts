import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const loader = fileURLToPath(new URL('../../../../test/support/source-loader.js', import.meta.url));
const module = fileURLToPath(new URL('./stop-request.ts', import.meta.url));

/** Exit code of a program that waits for a signal; it is sent SIGTERM once it says that it still does a while later. */
function waitFor(expression: string): Promise<number | null> {
  const program = `
    const { whileAwake } = await import(${JSON.stringify(module)});
    const signalled = new Promise((resolve) => process.once('SIGTERM', () => resolve(0)));
    // Never where nothing else keeps the program alive.
    setTimeout(() => process.stdout.write('waiting'), 300).unref();
    process.exitCode = await ${expression};`;
  const child = spawn(process.execPath, ['--import', loader, '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.once('data', () => child.kill('SIGTERM'));
  return new Promise((resolve) => child.once('close', (code) => resolve(code)));
}

describe('whileAwake', () => {
  it('keeps a program alive that waits for nothing but a signal', async () => {
    expect(await waitFor('whileAwake(signalled)')).toBe(0);
  });

  it('is needed: without it such a program ends by itself', async () => {
    const endedByItself = 13;
    expect(await waitFor('signalled')).toBe(endedByItself);
  });
});
