import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

interface Report {
  readonly success: boolean;
  readonly testResults: readonly { readonly name: string; readonly status: string; readonly message: string }[];
}

const runFixtures = (): Report => {
  const config = {
    rootDir: path('./fixtures'),
    testMatch: ['<rootDir>/*.fixture.js'],
    runtime: path('./node-runtime.js'),
    testEnvironment: path('./node-environment.js'),
    globals: { testTimeoutMs: 10_000 },
    testEnvironmentOptions: { settleMs: 1_000 },
    transform: {},
  };
  const jest = path('../../../node_modules/jest/bin/jest.js');
  const args = [jest, '--config', JSON.stringify(config), '--json', '--runInBand', '--forceExit'];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: path('./fixtures') });
  return JSON.parse(stdout) as Report;
};

describe('the leak check', () => {
  const { testResults } = runFixtures();
  const messageOf = (fixture: string): string | undefined =>
    testResults.find(({ name }) => name.endsWith(`${fixture}.fixture.js`))?.message;

  it.each([
    ['leaks-a-socket', 'server ({"address":"127.0.0.1"'],
    ['leaks-a-timer', 'timer (60000 ms).'],
    ['leaks-a-timer-that-renews-itself', 'timer (1 ms).'],
    ['leaks-a-process', 'process (/bin/sleep 8).'],
  ])('fails a file that %s', (fixture, leak) => {
    expect(messageOf(fixture)).toContain(`leaves open: ${leak}`);
  });

  it('passes a file that closes what it opened, whatever earlier ones have left running', () => {
    expect(testResults).toHaveLength(5);
    expect(messageOf('closes-all')).toBe('');
  });
});
