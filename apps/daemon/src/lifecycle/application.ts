import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';

import type { Logger } from '#platform';
import { errorFields, NestLogger, SystemClock } from '#platform';

import type { DaemonOptions } from '../daemon.module.js';
import { DaemonModule } from '../daemon.module.js';
import { exitError, exitOk } from './exits.js';
import { withinGrace } from './waiting.js';

/** Nest logs what keeps a start from succeeding, and throws it: who awaits the start tells it, once. */
class StartLogger extends NestLogger {
  override error(message: unknown, ...rest: unknown[]): void {
    if (rest.at(-1) !== 'ExceptionHandler') super.error(message, ...rest);
  }
}

/** Nest logs what a hook throws as the application ends, without a context, and continues: the exit code must show it. */
class DrainLogger extends NestLogger {
  hasFailed = false;

  override error(message: unknown, ...rest: unknown[]): void {
    this.hasFailed ||= rest.length < 2;
    super.error(message, ...rest);
  }
}

/** Everything composed and nothing started. @throws what makes the start impossible */
export async function createApplication(
  options: DaemonOptions,
  adapter: FastifyAdapter,
): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(DaemonModule.forRoot(options), adapter, {
    logger: new StartLogger(options.logger),
    abortOnError: false,
  });
  app.useLogger(new NestLogger(options.logger));
  return app;
}

/** Node would print what was thrown, and with it whatever that quotes. */
export function endOnDefects(logger: Logger): void {
  process.on('uncaughtException', (error) => {
    logger.error(errorFields(error), 'a defect of ours: the process ends');
    process.exit(exitError);
  });
}

/** Resolves when it is told to stop. */
export async function stopped(stopping: AbortSignal): Promise<void> {
  if (!stopping.aborted) await new Promise((resolve) => stopping.addEventListener('abort', resolve, { once: true }));
}

/**
 * Stops claiming and consuming, finishes what is open, gives back leases, leaves the group, closes.
 * @returns the exit code
 */
export async function drain(app: INestApplicationContext, shutdownGraceMs: number, logger: Logger): Promise<number> {
  const drainLogger = new DrainLogger(logger);
  app.useLogger(drainLogger);
  if (await withinGrace(app.close(), shutdownGraceMs, new SystemClock())) {
    return drainLogger.hasFailed ? exitError : exitOk;
  }
  logger.error({ shutdownGraceMs }, 'not drained in time; what is open will be found by the next start');
  return exitError;
}
