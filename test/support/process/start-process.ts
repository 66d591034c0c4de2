import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import type { WaitOptions } from '#embedded';
import { waitUntil } from '#embedded';

const watch = 'while read -r _; do :; done; kill -KILL "$1"';

/**
 * Kills `child` when this process ends without having done so, however it ends: a shell waits for the end of a pipe
 * that only we hold. It goes as soon as the child is gone.
 */
export const watchOver = (child: ChildProcess): void => {
  const watcher = spawn('/bin/sh', ['-c', watch, 'watch', `${child.pid ?? 0}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watcher.on('error', () => undefined);
  watcher.stdin.on('error', () => undefined);
  (watcher.stdin as typeof watcher.stdin & { unref(): void }).unref();
  watcher.unref();
  child.once('exit', () => {
    watcher.kill('SIGKILL');
    watcher.stdin.destroy();
  });
};

export interface StartProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to `PATH`, `HOME` and `TMPDIR`: nothing else is inherited. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Default: 120 000: a start takes 2 s of a free processor, and test files share theirs. */
  readonly readyTimeoutMs?: number;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RunningProcess {
  readonly pid: number;
  /** The line of standard output that said `{"ready":true,...}`. */
  readonly ready: ReadyLine;
  /** Resolves when it has ended and all its output has arrived. */
  readonly exited: Promise<ProcessEnd>;
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  /** SIGTERM, and SIGKILL after 30 s; resolves with how it ended. */
  stop(): Promise<ProcessEnd>;
}

const readyTimeoutMsDefault = 120_000;
const stopTimeoutMs = 30_000;
const inherited = ['PATH', 'HOME', 'TMPDIR', 'XDG_CACHE_HOME'];

const environment = (env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(inherited.map((name) => [name, process.env[name]])),
  ...env,
});

type ReadyLine = Readonly<Record<string, unknown>>;

const readyLine = (output: string): ReadyLine | undefined => {
  for (const line of output.split('\n').slice(0, -1)) {
    if (!line.startsWith('{') || !line.includes('"ready"')) continue;
    const value = JSON.parse(line) as ReadyLine;
    if (value['ready'] === true) return value;
  }
  return undefined;
};

const collect = (stream: NodeJS.ReadableStream | null): (() => string) => {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk) => (text += String(chunk)));
  return () => text;
};

const endOf = (child: ChildProcess): Promise<ProcessEnd> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });

const stopGently = async (child: ChildProcess, exited: Promise<ProcessEnd>): Promise<ProcessEnd> => {
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  return exited.finally(() => clearTimeout(kill));
};

const spawnProgram = ({ command, args, env, cwd }: StartProcessOptions): ChildProcess =>
  spawn(command, args, {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** The readiness line, or why there is none. */
const awaitReady = async (child: ChildProcess, stdout: () => string, wait: WaitOptions): Promise<ReadyLine> => {
  const outcome = (): ReadyLine | 'ended' | undefined => readyLine(stdout()) ?? (hasEnded(child) ? 'ended' : undefined);
  const ready = await waitUntil(outcome, wait);
  if (ready !== 'ended') return ready;
  throw new Error(`it ended with ${child.exitCode ?? child.signalCode ?? 'no code'} while we waited for ${wait.what}`);
};

/**
 * Starts a program and waits until it says on standard output that it is ready (contracts.md section 4). It is killed
 * if this process dies. Throws, with all its output, when it ends or stays silent instead.
 */
export const startProcess = async (options: StartProcessOptions): Promise<RunningProcess> => {
  const child = spawnProgram(options);
  const exited = endOf(child);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  if (child.pid === undefined) await exited;
  watchOver(child);
  const what = `${[options.command, ...options.args].join(' ')} to be ready`;
  try {
    const ready = await awaitReady(child, stdout, { what, timeoutMs: options.readyTimeoutMs ?? readyTimeoutMsDefault });
    const kill = (signal: NodeJS.Signals): void => void child.kill(signal);
    const pid = child.pid ?? 0;
    return { pid, ready, exited, stdout, stderr, kill, stop: () => stopGently(child, exited) };
  } catch (error) {
    child.kill('SIGKILL');
    await exited;
    throw new Error(`${(error as Error).message}\n${stdout()}\n${stderr()}`, { cause: error });
  }
};

const isCompiled = import.meta.filename.endsWith('.js');
/** The checkout: dist/ lies in it, and this file in either. */
/** Of this checkout, with a slash at its end: also of what is compiled. */
export const checkoutRoot = fileURLToPath(new URL(isCompiled ? '../../../../' : '../../../', import.meta.url));
/** What runs from dist/ was built by its npm script; a source that changes meanwhile changes nothing of its run. */
let isProvided = isCompiled;

/** Compiles what is newer than dist/; several test files at once wait for one another there. */
function provideCompiled(): void {
  if (isProvided) return;
  const args = [`${checkoutRoot}apps/cli/bin/compiled.js`, 'provide'];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: checkoutRoot, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the sources could not be compiled: ${stderr}`);
  isProvided = true;
}

/**
 * Command and arguments that run a program of this checkout as it is shipped, compiled, from the checkout's root:
 * `startProcess({ ...programCommand('apps/daemon/src/main.ts'), env })`. Compiling at each start would take as long as the start.
 */
export const programCommand = (
  file: string,
  ...args: readonly string[]
): Required<Pick<StartProcessOptions, 'command' | 'args' | 'cwd'>> => {
  provideCompiled();
  const program = `${checkoutRoot}dist/${file.replace(/\.ts$/, '.js')}`;
  return {
    command: process.execPath,
    args: ['--import', `${checkoutRoot}test/support/compile-cache.js`, program, ...args],
    cwd: checkoutRoot,
  };
};

/** How a program that was asked for `--json` ended. */
interface ReportedRun<Report> {
  readonly report: Report;
  readonly code: number | null;
  /** What it told on standard error meanwhile. */
  readonly said: string;
}

/** Runs one of our programs to its end. @throws Error with what it said when it reports nothing */
export async function runForReport<Report>(file: string, ...args: readonly string[]): Promise<ReportedRun<Report>> {
  const { command, args: program, cwd } = programCommand(file, ...args, '--json');
  const child = spawn(command, program, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await closed;
  if (!out.startsWith('{')) throw new Error(`${file} reported nothing:\n${said}`);
  return { report: JSON.parse(out) as Report, code, said };
}

const kibibytesPerMebibyte = 1_024;

interface ProcessMemory {
  /** Resident now. */
  readonly residentMebibytes: number;
  /** The most that was ever resident. */
  readonly peakMebibytes: number;
}

/** What Linux says of a process in `/proc`. Rejects where there is no such process. */
export async function processMemory(pid: number): Promise<ProcessMemory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mebibytesOf = (line: string): number =>
    Number(new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? NaN) / kibibytesPerMebibyte;
  return { residentMebibytes: mebibytesOf('VmRSS'), peakMebibytes: mebibytesOf('VmHWM') };
}
