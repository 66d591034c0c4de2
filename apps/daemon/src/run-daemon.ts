import { once } from 'node:events';
import { createServer } from 'node:net';

import type { NestFastifyApplication } from '@nestjs/platform-fastify';

import { Ingest } from '#events/ingest';
import type { GivenRestore } from '#intents';
import type { LoginLinks } from '#operations';
import { admitBeforeBodies } from '#operations';
import type { Logger } from '#platform';
import { createLogger, errorFields, setUpCollector } from '#platform';

import type { DaemonOptions } from './daemon.module.js';
import { Configuration } from './environment/configuration.module.js';
import { LiveEnvironment } from './environment/live-environment.js';
import { createHttpServer } from './http/http-adapter.js';
import { createApplication, drain, endOnDefects, stopped } from './lifecycle/application.js';
import { reportFailure, exitError, exitOk, exitUsage, startProblems } from './lifecycle/exits.js';
import { StoppedError } from './lifecycle/waiting.js';
import { DaemonProbes } from './observation/probes.js';
import { accessSettings } from './operations/operations-ports.module.js';
import { ProgramsReloader } from './programs/programs-reloader.js';
import { Storage } from './storage/storage.module.js';

export interface StartOptions {
  /** RFC 3339: the database was restored to this moment (docs/restore.md). */
  readonly recoveredFrom?: string;
  /** RFC 3339: no process worked on the lost database after this. */
  readonly lostUntil?: string;
  /** Links that log an operator in to the console: only where the command prints one. */
  readonly loginLinks?: LoginLinks;
}

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Epoch milliseconds of an RFC 3339 time; NaN where it is none. Without an offset the moment is not determined. */
export function parseMoment(text: string): number {
  return rfc3339.test(text) ? Date.parse(text.replace(' ', 'T')) : NaN;
}

/** The restore that the flags report; a problem text where they cannot be read. */
function readRestore({ recoveredFrom, lostUntil }: StartOptions): GivenRestore | string | null {
  const example = 'must be an RFC 3339 time, such as 2026-11-21T10:15:00Z';
  if (recoveredFrom === undefined) return lostUntil === undefined ? null : '--lost-until: goes with --recovered-from';
  const told = {
    recoveredFrom: parseMoment(recoveredFrom),
    lostUntil: lostUntil === undefined ? null : parseMoment(lostUntil),
  };
  if (Number.isNaN(told.recoveredFrom)) return `--recovered-from: ${example}`;
  return Number.isNaN(told.lostUntil) ? `--lost-until: ${example}` : told;
}

/** Aborted at the first SIGTERM or SIGINT, with its name as the reason; a second one ends the process at once. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (stopping.signal.aborted) process.exit(exitError);
    stopping.abort(name);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return stopping.signal;
}

/** SIGHUP ends a process that does not listen for it. One that comes during the start has the file read after it. */
function reloadOnSignal(starting: Promise<NestFastifyApplication>, logger: Logger): void {
  const reload = async (app: NestFastifyApplication): Promise<void> => {
    try {
      await app.get(ProgramsReloader).reload('signal');
    } catch (error) {
      logger.error(errorFields(error), 'programs file not taken over');
    }
  };
  const ignore = (): void => undefined;
  process.on('SIGHUP', () => void starting.then(reload, ignore));
}

/** @throws as the server would when it listens, which it does last */
async function requireFreePort(port: number, host: string): Promise<void> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}

/**
 * @throws what makes the start impossible; `startProblems` tells what an operator can mend
 * @throws {StoppedError}
 */
export async function startDaemon(options: DaemonOptions): Promise<NestFastifyApplication> {
  const { basePath, port, host } = options.live.current.operations;
  const { adapter, connections } = createHttpServer(basePath);
  const app = await createApplication(options, adapter);
  await requireFreePort(port, host);
  // Nothing works yet, and nothing that a person must mend can fail any more.
  await app.get(ProgramsReloader).open();
  const { roles } = options.live.current;
  admitBeforeBodies(adapter, accessSettings(app.get(Configuration), app.get(Storage)), connections);
  if (roles.includes('ingest')) app.connectMicroservice({ strategy: app.get(Ingest).server });
  await app.startAllMicroservices();
  await app.listen(port, host);
  app.get(DaemonProbes).startCompleted();
  return app;
}

/**
 * `loyaltyd start`: runs until SIGTERM or SIGINT. Prints one JSON line when ready; re-reads the programs file on SIGHUP.
 * A start that only waits for the database ends at once.
 * @returns the exit code: 0 drained, 1 failed or not drained in time, 2 what an operator must mend first
 */
export async function runDaemon(env: NodeJS.ProcessEnv, options: StartOptions = {}): Promise<number> {
  setUpCollector();
  const restore = readRestore(options);
  if (typeof restore === 'string') return reportFailure([restore], exitUsage);
  const opened = LiveEnvironment.open(env);
  if (!opened.ok) return reportFailure(opened.errors, exitUsage);
  const { live } = opened;
  const logger = createLogger({ level: live.current.process.logLevel, service: 'loyaltyd' });
  tellRisks(live, logger);
  endOnDefects(logger);
  const stopping = stopSignal();
  try {
    const { loginLinks } = options;
    const links = loginLinks === undefined ? {} : { loginLinks };
    const starting = startDaemon({ live, logger, start: { restore, stopping }, ...links });
    reloadOnSignal(starting, logger);
    const app = await starting;
    const ready = { ready: true, roles: live.current.roles, operations: await app.getUrl() };
    process.stdout.write(`${JSON.stringify(ready)}\n`);
    await stopped(stopping);
    logger.info({ signal: stopping.reason as string }, 'draining');
    return await drain(app, live.current.process.shutdownGraceMs, logger);
  } catch (error) {
    return failed(error, logger);
  }
}

function tellRisks({ current: { cleartext, guessable } }: LiveEnvironment, logger: Logger): void {
  if (Object.keys(cleartext).length > 0) logger.warn({ cleartext }, 'not everything leaves this machine encrypted');
  if (Object.keys(guessable).length > 0) {
    logger.warn({ guessable }, 'anybody could guess these secrets: not for production');
  }
}

function failed(error: unknown, logger: Logger): number {
  if (error instanceof StoppedError) {
    logger.info({}, 'told to stop before anything had begun');
    return exitOk;
  }
  const problems = startProblems(error);
  if (problems !== null) return reportFailure(problems, exitUsage);
  logger.error(errorFields(error), 'start failed');
  return exitError;
}
