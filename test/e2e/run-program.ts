import { execFile } from 'node:child_process';

import { sourceCommand } from '#test-support';

import type { CommandRun } from './loyaltyd.js';

const runTimeoutMs = 120_000;

/** Runs `loyaltyd` from its source, configured by these variables alone, to its end. */
export function runProgram(env: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<CommandRun> {
  const { command, args, cwd } = sourceCommand('apps/cli/src/main.ts', ...words);
  const inherited = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  return new Promise((resolve, reject) => {
    execFile(
      command,
      [...args],
      { cwd, env: { ...inherited, ...env }, timeout: runTimeoutMs },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code;
        if (typeof code === 'number') resolve({ code, stdout, stderr });
        else reject(new Error(`${words.join(' ')} did not end: ${stdout}${stderr}`, { cause: error }));
      },
    );
  });
}
