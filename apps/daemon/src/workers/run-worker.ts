import { parentPort } from 'node:worker_threads';

import type { INestApplication } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';

import { KafkaBatchServer, shareDecompression } from '#ingest';
import type { Logger } from '#platform';
import { createLogger, errorFields } from '#platform';

import type { DaemonOptions } from '../daemon.module.js';
import { LiveEnvironment } from '../environment/live-environment.js';
import { createApplication, drain, endOnDefects, stopped } from '../lifecycle/application.js';
import { exitError } from '../lifecycle/exits.js';
import { OwnFigures } from '../observation/own-figures.js';
import { DaemonProbes } from '../observation/probes.js';
import { Platform } from '../platform.module.js';
import { ProgramsReloader } from '../programs/programs-reloader.js';
import type { FromWorker, ToWorker, WorkerSeat, WorkerStart } from './messages.js';
import { workerView } from './threads.js';

function tellMainThread(message: FromWorker): void {
  parentPort?.postMessage(message);
}

async function scrape(app: INestApplication): Promise<void> {
  const metrics = await app.get(Platform).metrics.registry.getMetricsAsJSON();
  tellMainThread({ type: 'scraped', metrics });
}

/** One worker: what the main thread tells it, from its start to its end. */
class WorkerLink {
  readonly start: Promise<WorkerStart>;
  readonly stopping: AbortSignal;
  programsText = '';
  private readonly stop = new AbortController();
  private readonly toStart = Promise.withResolvers<WorkerStart>();
  private live: LiveEnvironment | null = null;
  private app: INestApplication | null = null;

  constructor() {
    this.start = this.toStart.promise;
    this.stopping = this.stop.signal;
    parentPort?.on('message', (message: ToWorker) => {
      this.hear(message);
    });
  }

  /** What comes from now on is for this environment. */
  opened(live: LiveEnvironment): void {
    this.live = live;
  }

  /** What comes from now on is for this application; it takes over the programs file as it is by now. */
  async started(app: INestApplication): Promise<void> {
    this.app = app;
    await app.get(ProgramsReloader).reload('the main thread');
    tellMainThread({ type: 'started' });
  }

  private hear(message: ToWorker): void {
    switch (message.type) {
      case 'start':
        this.programsText = message.start.programsText;
        this.toStart.resolve(message.start);
        return;
      case 'drain':
        this.stop.abort(message.reason);
        return;
      case 'files':
        this.live?.adopt(message.texts);
        return;
      case 'programs':
        this.programsText = message.text;
        void this.app?.get(ProgramsReloader).reload('the main thread');
        return;
      case 'wake':
      case 'check':
      case 'scrape':
        if (this.app !== null) answer(this.app, message.type);
    }
  }
}

function answer(app: INestApplication, question: 'wake' | 'check' | 'scrape'): void {
  switch (question) {
    case 'wake':
      app.get(Platform).wake.notify();
      return;
    case 'check': {
      const { problems } = app.get(DaemonProbes).live();
      tellMainThread({ type: 'checked', problems, figures: app.get(OwnFigures).current });
      return;
    }
    case 'scrape':
      void scrape(app);
  }
}

/** Serves nothing: probes, metrics and operators are the main thread's. */
async function startWorker(options: DaemonOptions): Promise<INestApplication> {
  const app = await createApplication(options, new FastifyAdapter());
  const isIngesting = options.live.current.roles.includes('ingest');
  if (isIngesting) app.connectMicroservice({ strategy: app.get(KafkaBatchServer) });
  await app.startAllMicroservices();
  await app.init();
  app.get(DaemonProbes).startCompleted();
  return app;
}

async function runUntilDrained(link: WorkerLink, options: DaemonOptions, logger: Logger): Promise<number> {
  const app = await startWorker(options);
  await link.started(app);
  await stopped(link.stopping);
  logger.info({ signal: link.stopping.reason as string }, 'draining');
  const code = await drain(app, options.live.current.process.shutdownGraceMs, logger);
  // What it counted last is told by the main thread until the process ends.
  await scrape(app);
  return code;
}

/** A worker thread: ingests and delivers until the main thread tells it to drain. @returns the exit code of the thread */
export async function runWorker({ number, decompression }: WorkerSeat): Promise<number> {
  shareDecompression(decompression, number);
  const link = new WorkerLink();
  const { variables, texts, dialectFile } = await link.start;
  const opened = LiveEnvironment.open(variables, { texts, view: workerView });
  if (!opened.ok) throw new Error('the main thread has read this environment without an error');
  const { live } = opened;
  link.opened(live);
  const logger = createLogger({ level: live.current.process.logLevel, service: 'loyaltyd', worker: number });
  endOnDefects(logger);
  const start = { restore: null, stopping: link.stopping };
  const given = { dialectFile, programsText: () => link.programsText };
  try {
    return await runUntilDrained(link, { live, logger, start, thread: number, given }, logger);
  } catch (error) {
    logger.error(errorFields(error), 'a worker did not start');
    return exitError;
  }
}
