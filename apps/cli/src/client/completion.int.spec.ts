import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

import { itUnless, missingCommands } from '#test-support';

import { buildProgram } from '../command-line/program.js';
import { completionScript, describeProgram } from './completion.js';
import { fakeTerminal } from './testing/fake-api.js';

const execute = promisify(execFile);

function program(): ReturnType<typeof buildProgram> {
  return buildProgram({ terminal: fakeTerminal(), finish: () => undefined });
}

/** What bash offers for the last of some words. */
async function offered(words: readonly string[]): Promise<string[]> {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const script = `${completionScript(program(), 'bash')}
COMP_WORDS=(loyaltyd ${quoted}); COMP_CWORD=${words.length}
_loyaltyd
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await execute('bash', ['--norc', '-c', script]);
  return stdout.split('\n').filter((line) => line !== '');
}

describe('completion', () => {
  const withBash = itUnless(missingCommands('bash'));

  withBash.each<[string[], string[]]>([
    [[''], ['start', 'get', 'describe', 'replay', 'completion']],
    [['get', 'in'], ['intents']],
    [
      ['get', 'intents', '--'],
      ['--query', '--since', '--watch', '--output', '--server', '--help'],
    ],
    [
      ['get', 'intents', '-o', 'j'],
      ['json', 'jsonl'],
    ],
    [['get', 'intents', '--output', '=', 'y'], ['yaml']],
    [
      ['resolve', 'intent', 'x', '--as', ''],
      ['delivered', 'not-delivered'],
    ],
    [['pause', '--operation', 'rew'], ['reward']],
    [
      ['pause', '--reason', 'replay', '--pro'],
      ['--program', '--profile'],
    ],
    [['pause', 'jo'], ['job']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['export', '--file', '/etc/host'], ['/etc/hosts']],
  ])('offers in bash after %j at least %j', async (words, expected) => {
    expect(await offered(words)).toEqual(expect.arrayContaining(expected));
  });

  withBash('offers nothing where only the person can know', async () => {
    expect(await offered(['get', 'intents', '--token', ''])).toEqual([]);
    expect(await offered(['get', 'intents', 'g'])).toEqual([]);
  });

  it.each(['bash', 'zsh', 'fish'] as const)('knows every command and flag in %s', (shell) => {
    const script = completionScript(program(), shell);
    const commands = describeProgram(program());
    expect(commands.length).toBeGreaterThan(40);
    for (const { at, flags } of commands) {
      expect(script).toContain(at);
      for (const { spellings } of flags) expect(script).toContain(spellings.at(-1)?.replace(/^--/, ''));
    }
  });

  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    itUnless(missingCommands(shell))(`is read by ${shell} itself`, () => {
      const script = completionScript(program(), shell);
      const { status, stderr } = spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    });
  }
});
