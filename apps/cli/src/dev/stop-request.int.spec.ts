import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const loader = fileURLToPath(new URL('../../../../test/support/source-loader.js', import.meta.url));
const module = fileURLToPath(new URL('./stop-request.ts', import.meta.url));

/** Exit code of a program that waits for a signal; it is sent SIGTERM once it says that it waits. */
function waitFor(expression: string): Promise<number | null> {
  const program = `
    const { whileAwake } = await import(${JSON.stringify(module)});
    const signalled = new Promise((resolve) => process.once('SIGTERM', () => resolve(0)));
    setImmediate(() => process.stdout.write('waiting'));
    process.exitCode = await ${expression};`;
  const child = spawn(process.execPath, ['--import', loader, '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.once('data', () => {
    // A program that nothing keeps alive is gone before this second turn.
    setTimeout(() => child.kill('SIGTERM'), 300);
  });
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
