import { type ChildProcess, spawn } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '#embedded';
import { watchOver } from '#test-support';

/** The real daemon in a process of its own, with all roles, its defaults, and the memory of docs/operations/install.md. */
export interface BenchDaemon {
  readonly pid: number;
  stop(): Promise<void>;
}

const readyTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;
const logCharactersKept = 4_000;
/** What docs/operations/install.md recommends for a container of 512 MiB. */
export const recommendedNodeOptions = ['--max-old-space-size=384', '--max-semi-space-size=32'] as const;

const inherited = ['PATH', 'HOME', 'TMPDIR'];

const program = fileURLToPath(
  new URL(`../../../apps/daemon/src/main${extname(import.meta.filename)}`, import.meta.url),
);

const spawnDaemon = (environment: Readonly<Record<string, string>>): ChildProcess => {
  const kept = Object.fromEntries(inherited.map((name) => [name, process.env[name]]));
  const env = { ...kept, ...environment };
  const flags = [...process.execArgv, ...recommendedNodeOptions, '--disable-warning=TimeoutNegativeWarning'];
  return spawn(process.execPath, [...flags, program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
};

/** Its log is read, as a collector would; only its end is kept. */
const followLog = (child: ChildProcess): (() => string) => {
  let tail = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-logCharactersKept);
  });
  return () => tail;
};

const awaitReady = async (child: ChildProcess, log: () => string): Promise<void> => {
  const seen = { ready: false };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    seen.ready ||= text.includes('"ready":true');
  });
  const isOver = (): boolean => seen.ready || child.exitCode !== null;
  await waitUntil(isOver, { what: 'the daemon to be ready', timeoutMs: readyTimeoutMs });
  if (!seen.ready) throw new Error(`the daemon ended with ${child.exitCode ?? 'no code'}\n${log()}`);
};

const stop = async (child: ChildProcess, ended: Promise<void>): Promise<void> => {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(timer);
};

export const startBenchDaemon = async (environment: Readonly<Record<string, string>>): Promise<BenchDaemon> => {
  const child = spawnDaemon(environment);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  watchOver(child);
  try {
    await awaitReady(child, followLog(child));
  } catch (error) {
    child.kill('SIGKILL');
    await ended;
    throw error;
  }
  return { pid: child.pid ?? 0, stop: () => stop(child, ended) };
};
