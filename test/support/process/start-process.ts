import { spawn, type ChildProcess } from 'node:child_process';
import { waitUntil, type WaitOptions } from '#embedded';
import { watchOver } from './watch-over.js';

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
