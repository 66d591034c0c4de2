import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

import { KafkaBatchServer } from '#ingest';
import { admitBeforeBodies, API_SETTINGS } from '#operations';
import type { ApiSettings } from '#operations';
import type { Logger } from '#platform';
import { createLogger, errorFields, NestLogger, stopPretenuring, SystemClock } from '#platform';

import { DaemonModule } from './daemon.module.js';
import type { DaemonOptions } from './daemon.module.js';
import { LiveEnvironment } from './environment/live-environment.js';
import { createHttpServer } from './http/http-adapter.js';
import { reportFailure, exitError, exitOk, exitUsage, startProblems } from './lifecycle/exits.js';
import { StoppedError, withinGrace } from './lifecycle/waiting.js';
import { DaemonProbes } from './observation/probes.js';
import { ProgramsReloader } from './programs/programs-reloader.js';

export interface StartOptions {
  /** RFC 3339: the database was restored to this moment (docs/restore.md). */
  readonly recoveredFrom?: string;
}

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Epoch milliseconds of an RFC 3339 time; NaN where it is none. Without an offset nobody knows which moment is meant. */
export function parseMoment(text: string): number {
  return rfc3339.test(text) ? Date.parse(text.replace(' ', 'T')) : NaN;
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

/** Resolves when the process is told to stop. */
async function stopped(stopping: AbortSignal): Promise<void> {
  if (!stopping.aborted) await new Promise((resolve) => stopping.addEventListener('abort', resolve, { once: true }));
}

/** Node would print what was thrown, and with it whatever that quotes. */
function endOnDefects(logger: Logger): void {
  process.on('uncaughtException', (error) => {
    logger.error(errorFields(error), 'a defect of ours: the process ends');
    process.exit(exitError);
  });
}

/** SIGHUP ends a process that does not listen for it. One that comes during the start has the file read after it. */
function reloadOnSignal(starting: Promise<NestFastifyApplication>): void {
  const reload = (app: NestFastifyApplication): Promise<unknown> => app.get(ProgramsReloader).reload('signal');
  const ignore = (): void => undefined;
  process.on('SIGHUP', () => void starting.then(reload, ignore));
}

/** Nest logs what keeps a start from succeeding, and throws it: who awaits the start tells it, once. */
class StartLogger extends NestLogger {
  override error(message: unknown, ...rest: unknown[]): void {
    if (rest.at(-1) !== 'ExceptionHandler') super.error(message, ...rest);
  }
}

/** Nest logs what a hook throws as the application ends, without a context, and goes on: the exit code tells it all the same. */
class DrainLogger extends NestLogger {
  hasFailed = false;

  override error(message: unknown, ...rest: unknown[]): void {
    this.hasFailed ||= rest.length < 2;
    super.error(message, ...rest);
  }
}

/**
 * @throws what makes the start impossible; `startProblems` tells what an operator can mend
 * @throws {StoppedError}
 */
export async function startDaemon(options: DaemonOptions): Promise<NestFastifyApplication> {
  const { basePath, port, host } = options.live.current.operations;
  const { adapter, connections } = createHttpServer(basePath);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest types its options as a class
  const app = await NestFactory.create<NestFastifyApplication>(DaemonModule.forRoot(options), adapter, {
    logger: new StartLogger(options.logger),
    abortOnError: false,
  });
  app.useLogger(new NestLogger(options.logger));
  const { roles } = options.live.current;
  admitBeforeBodies(adapter, roles.includes('operations') ? app.get<ApiSettings>(API_SETTINGS) : null, connections);
  if (roles.includes('ingest')) app.connectMicroservice({ strategy: app.get(KafkaBatchServer) });
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
export async function runDaemon(env: NodeJS.ProcessEnv, { recoveredFrom }: StartOptions = {}): Promise<number> {
  stopPretenuring();
  const moment = recoveredFrom === undefined ? null : parseMoment(recoveredFrom);
  if (Number.isNaN(moment)) {
    return reportFailure(['--recovered-from: must be an RFC 3339 time, such as 2026-11-21T10:15:00Z'], exitUsage);
  }
  const opened = LiveEnvironment.open(env);
  if (!opened.ok) return reportFailure(opened.errors, exitUsage);
  const { live } = opened;
  const logger = createLogger({ level: live.current.process.logLevel, service: 'loyaltyd' });
  endOnDefects(logger);
  const stopping = stopSignal();
  try {
    const starting = startDaemon({ live, logger, start: { recoveredFrom: moment, stopping } });
    reloadOnSignal(starting);
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

/**
 * Stops claiming and consuming, finishes what is open, gives back leases, leaves the group, closes.
 * @returns the exit code
 */
export async function drain(app: NestFastifyApplication, shutdownGraceMs: number, logger: Logger): Promise<number> {
  const drainLogger = new DrainLogger(logger);
  app.useLogger(drainLogger);
  if (await withinGrace(app.close(), shutdownGraceMs, new SystemClock())) {
    return drainLogger.hasFailed ? exitError : exitOk;
  }
  logger.error({ shutdownGraceMs }, 'not drained in time; what is open will be found by the next start');
  return exitError;
}
