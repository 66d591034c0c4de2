import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { checkoutRoot, programCommand, watchOver } from '#test-support';

import type { Role } from './api-client.js';
import { tokenOf } from './api-client.js';

export const loyaltydPath = `${checkoutRoot}apps/cli/bin/loyaltyd.js`;
const commandTimeoutMs = 60_000;
const compileTimeoutMs = 180_000;
const outputBytesMax = 64 * 1024 * 1024;

/** How a command ended, and what it said. */
interface CommandRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The first run of changed sources compiles, and says so on standard error. */
export async function compileLoyaltyd(): Promise<void> {
  await promisify(execFile)(process.execPath, [loyaltydPath, '--version'], { timeout: compileTimeoutMs });
}

/** Runs `loyaltyd`, compiled, in a process of its own, as an operator of some role. */
export class Loyaltyd {
  constructor(
    private readonly daemon: RunningProcess,
    private readonly role: Role,
  ) {}

  get env(): Record<string, string> {
    const { operations } = this.daemon.ready as unknown as { readonly operations: string };
    const inherited = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
    return { ...inherited, LOYALTYD: loyaltydPath, LOYALTYD_SERVER: operations, LOYALTYD_TOKEN: tokenOf(this.role) };
  }

  run(...words: readonly string[]): Promise<CommandRun> {
    return this.execute(process.execPath, [loyaltydPath, ...words]);
  }

  /** A line of bash in which `loyaltyd` is the command; ends as the first command of its pipe that fails. */
  pipe(line: string): Promise<CommandRun> {
    return this.execute('bash', ['-c', `set -o pipefail; loyaltyd() { "$LOYALTYD" "$@"; }; ${line}`]);
  }

  /** Runs until its output is as it should be, then ends it by Ctrl-C. @returns the output, and how it ended */
  async watch(
    words: readonly string[],
    isSeen: (stdout: string) => boolean,
  ): Promise<{ stdout: string; end: unknown }> {
    const child = spawn(process.execPath, [loyaltydPath, ...words], {
      env: this.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    watchOver(child);
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += String(text)));
    const end = new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
    try {
      await waitUntil(() => isSeen(stdout), { what: `output of ${words.join(' ')}`, timeoutMs: commandTimeoutMs });
    } finally {
      child.kill('SIGINT');
    }
    return { stdout, end: await end };
  }

  private execute(command: string, args: readonly string[]): Promise<CommandRun> {
    const options = { env: this.env, timeout: commandTimeoutMs, maxBuffer: outputBytesMax };
    return new Promise((resolve, reject) => {
      execFile(command, args, options, (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code;
        if (typeof code === 'number') resolve({ code, stdout, stderr });
        else reject(new Error(`${args.join(' ')} did not end: ${stderr}`, { cause: error }));
      });
    });
  }
}

const runTimeoutMs = 120_000;

/** Runs `loyaltyd` from its source, configured by these variables alone, to its end. */
export function runProgram(env: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<CommandRun> {
  const { command, args, cwd } = programCommand('apps/cli/src/main.ts', ...words);
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

const runsPerCommand = 9;
const timeoutMs = 60_000;

/** Milliseconds from the start of a process to its end, over some runs. */
export interface StartTimes {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

async function oneRun(args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const since = performance.now();
  await promisify(execFile)(process.execPath, args, { env, timeout: timeoutMs });
  return performance.now() - since;
}

function figures(runs: readonly number[]): StartTimes {
  const sorted = runs.map(Math.round).toSorted((a, b) => a - b);
  return { min: sorted[0] ?? 0, median: sorted[Math.floor(sorted.length / 2)] ?? 0, max: sorted.at(-1) ?? 0 };
}

/** Runs commands of Node by turns, so that what else the machine does meets all of them. */
export async function startTimes<Name extends string>(
  commands: Readonly<Record<Name, readonly string[]>>,
  env: Readonly<Record<string, string>>,
): Promise<Record<Name, StartTimes>> {
  const entries = Object.entries(commands) as [Name, readonly string[]][];
  const runs = new Map<Name, number[]>(entries.map(([name]) => [name, []]));
  for (let run = 0; run < runsPerCommand; run += 1) {
    for (const [name, args] of entries) runs.get(name)?.push(await oneRun(args, env));
  }
  return Object.fromEntries([...runs].map(([name, times]) => [name, figures(times)])) as Record<Name, StartTimes>;
}
