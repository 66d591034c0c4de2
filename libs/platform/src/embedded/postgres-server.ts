import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startBoundProcess, type BoundProcess, type ProcessUser } from './bound-process.js';
import { freeLoopbackPorts } from './loopback-port.js';
import { waitUntil } from './wait-until.js';

export interface PostgresServerOptions {
  /** The `postgres` program. */
  readonly program: string;
  readonly data: string;
  /** Holds the log, and is removed when the server has ended. */
  readonly folder: string;
  readonly user: ProcessUser | undefined;
  /** `name=value`, as in postgresql.conf. */
  readonly settings: readonly string[];
}

export interface PostgresServer {
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
