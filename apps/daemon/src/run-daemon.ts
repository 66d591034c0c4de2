import type { Environment } from '#contracts';
import type { Logger } from '#platform';
import { createLogger, errorFields, stopPretenuring, SystemClock } from '#platform';

import { Daemon } from './daemon.js';
import { LiveEnvironment } from './environment/live-environment.js';
import { complain } from './lifecycle/complain.js';
import { exitError, exitOk, exitUsage } from './lifecycle/exit-codes.js';
import { startProblems } from './lifecycle/start-problems.js';
import { stopped, stopSignal } from './lifecycle/stop-signal.js';
import { StoppedError } from './lifecycle/unless-stopped.js';
import { withinGrace } from './lifecycle/within-grace.js';
import { parseMoment } from './recovery/parse-moment.js';

export interface StartOptions {
  /** RFC 3339: the database was restored to this moment (docs/restore.md). */
  readonly recoveredFrom?: string;
}

/** Node would print what was thrown, and with it whatever that quotes. */
function endOnDefects(logger: Logger): void {
  process.on('uncaughtException', (error) => {
    logger.error(errorFields(error), 'a defect of ours: the process ends');
    process.exit(exitError);
  });
}

/** SIGHUP ends a process that does not listen for it. One that comes during the start has the file read after it. */
function reloadOnSignal(starting: Promise<Daemon>): void {
  const reload = (daemon: Daemon): Promise<void> => daemon.reload();
  const ignore = (): void => undefined;
  process.on('SIGHUP', () => void starting.then(reload, ignore));
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
    return complain(['--recovered-from: must be an RFC 3339 time, such as 2026-11-21T10:15:00Z'], exitUsage);
  }
  const opened = LiveEnvironment.open(env);
  if (!opened.ok) return complain(opened.errors, exitUsage);
  const environment = opened.live.current;
  const logger = createLogger({ level: environment.process.logLevel, service: 'loyaltyd' });
  endOnDefects(logger);
  const stopping = stopSignal();
  try {
    const starting = Daemon.start(opened.live, logger, { recoveredFrom: moment, stopping });
    reloadOnSignal(starting);
    const daemon = await starting;
    const ready = { ready: true, roles: environment.roles, operations: await daemon.address() };
    process.stdout.write(`${JSON.stringify(ready)}\n`);
    await stopped(stopping);
    logger.info({ signal: stopping.reason as string }, 'draining');
    return await drain(daemon, environment, logger);
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
  if (problems !== null) return complain(problems, exitUsage);
  logger.error(errorFields(error), 'start failed');
  return exitError;
}

async function drain(daemon: Daemon, environment: Environment, logger: Logger): Promise<number> {
  const { shutdownGraceMs } = environment.process;
  if (await withinGrace(daemon.stop(), shutdownGraceMs, new SystemClock())) return exitOk;
  logger.error({ shutdownGraceMs }, 'not drained in time; what is open will be found by the next start');
  return exitError;
}
