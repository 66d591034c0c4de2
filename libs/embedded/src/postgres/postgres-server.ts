import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startBoundProcess, type BoundProcess, type ProcessUser } from '../processes/bound-process.js';
import { freeLoopbackPorts } from '../processes/loopback-port.js';
import { waitUntil } from '../processes/wait-until.js';
import { giveAway, type PostgresBinaries } from './postgres-programs.js';

interface PostgresClusterOptions {
  /** Holds the cluster (`data`) and its password; created if it does not exist. */
  readonly folder: string;
  readonly binaries: PostgresBinaries;
  readonly user: ProcessUser | undefined;
}

interface PostgresCluster {
  readonly data: string;
  readonly password: string;
}

/** Superuser of every embedded cluster. */
export const embeddedPostgresUser = 'postgres';

/** How long a holder may take to begin its shutdown, and then to end. */
const releaseTimeoutMs = 2_000;
const shutdownTimeoutMs = 15_000;

// The locale is fixed, so that sorting does not depend on the machine.
const localeFlags = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
// A young cluster has no log segments to use again, and a commit that needs a new one waits until it is filled with
// zeros and synced: 50 to 80 ms for the usual 16 MB.
const initdbFlags = [...localeFlags, '--wal-segsize=1'];

const providePassword = async (folder: string): Promise<string> => {
  const file = join(folder, 'password');
  if (!existsSync(file)) await writeFile(file, randomBytes(18).toString('hex'), { mode: 0o600, flag: 'wx' });
  return (await readFile(file, 'utf8')).trim();
};

const initialize = async ({ folder, binaries, user }: PostgresClusterOptions): Promise<void> => {
  const half = join(folder, 'data.new');
  await rm(half, { recursive: true, force: true });
  const flags = [...initdbFlags, '--no-sync', '--no-instructions', '--auth=scram-sha-256'];
  const files = [`--pgdata=${half}`, `--pwfile=${join(folder, 'password')}`, `--username=${embeddedPostgresUser}`];
  try {
    await promisify(execFile)(binaries.initdb, [...flags, ...files], { ...user, cwd: folder });
  } catch (error) {
    throw new Error(`initdb failed in ${folder}: ${(error as Error).message}`, { cause: error });
  }
  await rename(half, join(folder, 'data'));
};

const commandLine = (pid: number): Promise<string> => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

interface Holder {
  readonly pid: number;
  /** The server's own word for its state: `starting`, `ready`, `stopping`. */
  readonly state: string;
}

/**
 * The server that holds the cluster, by its lock file. A killed server leaves that file behind, and another program may
 * have got its number since: only a process that was started on this folder counts.
 */
const lockHolder = async (data: string): Promise<Holder | undefined> => {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  const runs = pid > 0 && isAlive(pid) && (process.platform !== 'linux' || (await commandLine(pid)).includes(data));
  return runs ? { pid, state: lines[7]?.trim() ?? '' } : undefined;
};

/** After a quick restart of ours the last server may still be shutting down: it is given time to leave. */
const awaitRelease = async (data: string): Promise<void> => {
  const holder = await lockHolder(data);
  if (holder === undefined) return;
  const what = `the Postgres server ${holder.pid} to let go of ${data}; stop it, or use another folder`;
  await waitUntil(async () => (await lockHolder(data))?.state !== 'ready', { what, timeoutMs: releaseTimeoutMs });
  await waitUntil(async () => (await lockHolder(data)) === undefined, { what, timeoutMs: shutdownTimeoutMs });
};

/** A cluster ready to be started: the one that `folder` holds already, or a new one. */
export const providePostgresCluster = async (options: PostgresClusterOptions): Promise<PostgresCluster> => {
  const { folder, user } = options;
  const data = join(folder, 'data');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const password = await providePassword(folder);
  await giveAway(folder, user);
  if (!existsSync(data)) await initialize(options);
  await awaitRelease(data);
  await rm(join(data, 'postmaster.pid'), { force: true });
  return { data, password };
};

interface PostgresServerOptions {
  /** The `postgres` program. */
  readonly program: string;
  readonly data: string;
  /** Holds the log, and is removed when the server has ended. */
  readonly folder: string;
  readonly user: ProcessUser | undefined;
  /** `name=value`, as in postgresql.conf. */
  readonly settings: readonly string[];
}

interface PostgresServer {
  readonly process: BoundProcess;
  readonly port: number;
}

/** Somebody took the port between our choosing it and the server's start: start again. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
}

const startTimeoutMs = 30_000;
const stopGraceMs = 15_000;

/** The server itself writes its state on line 8 of its lock file; `pg_ctl` waits for the same word. */
const isReady = async (data: string): Promise<boolean> =>
  (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[7]?.trim() === 'ready';

const startError = (log: string): Error =>
  log.includes('Address already in use')
    ? new PortTakenError(log)
    : new Error(`the embedded Postgres did not start:\n${log}`);

/** Starts the server on a free loopback port and waits until it accepts connections. */
export const startPostgresServer = async (options: PostgresServerOptions): Promise<PostgresServer> => {
  const { program, data, folder, user, settings } = options;
  const [port = 0] = await freeLoopbackPorts(1);
  const server = await startBoundProcess({
    command: program,
    args: ['-D', data, '-p', `${port}`, ...settings.flatMap((setting) => ['-c', setting])],
    cwd: folder,
    logFile: join(folder, 'postgres.log'),
    environment: { PATH: process.env['PATH'], LC_ALL: 'C' },
    stopSignal: 'INT', // "fast shutdown": clients are disconnected, data is written
    graceMs: stopGraceMs,
    removeFolder: options.folder,
    user,
  });
  const outcome = async (): Promise<'ready' | 'ended' | undefined> =>
    server.isRunning() ? ((await isReady(data)) ? 'ready' : undefined) : 'ended';
  try {
    const state = await waitUntil(outcome, { what: 'Postgres to start', timeoutMs: startTimeoutMs });
    if (state === 'ended') throw startError(server.logTail());
    return { process: server, port };
  } catch (error) {
    await server.stop();
    throw error;
  }
};
