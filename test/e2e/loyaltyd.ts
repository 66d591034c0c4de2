import { execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { watchOver } from '#test-support';

import type { Role } from './api-client.js';
import { tokenOf } from './api-client.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
export const loyaltydPath = `${root}apps/cli/bin/loyaltyd.js`;
const commandTimeoutMs = 60_000;
const compileTimeoutMs = 180_000;
const outputBytesMax = 64 * 1024 * 1024;

/** How a command ended, and what it said. */
export interface CommandRun {
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
