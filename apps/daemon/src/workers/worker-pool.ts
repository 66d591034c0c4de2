import { getCompileCacheDir } from 'node:module';
import { extname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';

import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Module } from '@nestjs/common';

import type { SharedDecompression } from '#ingest';
import { endTurnOf, shareDecompression, sharedDecompression } from '#ingest';
import type { ProcessFigures } from '#intents';
import { noFigures } from '#intents';
import type { Clock, Logger } from '#platform';
import { BackgroundLoop, errorFields, SystemClock, SystemRandom } from '#platform';

import { Configuration } from '../environment/configuration.module.js';
import { exitOk } from '../lifecycle/exits.js';
import { BusyRatio, registerBusyMetrics } from '../metrics/busy-ratio.js';
import { Platform } from '../platform.module.js';
import type { FromWorker, ScrapedMetrics, ToWorker, WorkerSeat, WorkerStart } from './messages.js';

/** How often each worker is asked how it is. */
const checkMs = 1_000;
/**
 * A worker that has not answered so many questions in a row is stuck. Counted, not timed: a process that was stopped for a
 * minute has asked nothing meanwhile.
 */
export const unansweredMax = 15;
/** A scrape waits so long for a worker, then shows what that one told last. */
const scrapeWaitMs = 2_000;

/** The same file, as source or compiled. */
const workerFile = new URL(`worker${extname(import.meta.url)}`, import.meta.url);

/** A worker has ended that nobody told to. */
export class WorkerEndedError extends Error {
  override readonly name = 'WorkerEndedError';
}

interface WorkerTools {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly file: URL;
  readonly decompression: SharedDecompression;
}

/** A worker, as the main thread knows it. */
export class WorkerThread {
  readonly busy: BusyRatio;
  /** Its exit code. */
  readonly ended: Promise<number>;
  figures: ProcessFigures = noFigures;
  private readonly thread: Worker;
  private readonly isStarted = Promise.withResolvers<undefined>();
  private problemsTold: readonly string[] = [];
  private unanswered = 0;
  private metricsTold: ScrapedMetrics = [];
  private scraping: PromiseWithResolvers<undefined> | null = null;
  private hasEnded = false;

  constructor(
    readonly number: number,
    private readonly tools: WorkerTools,
  ) {
    const { decompression } = tools;
    const workerData: WorkerSeat = { number, compileCache: getCompileCacheDir(), decompression };
    this.thread = new Worker(tools.file, { name: `worker-${number}`, workerData });
    this.busy = new BusyRatio(() => this.thread.performance.eventLoopUtilization());
    this.thread.on('message', (message: FromWorker) => {
      this.hear(message);
    });
    // Out of memory, or a file that cannot be loaded; what a worker can tell itself it has logged.
    this.thread.on('error', (error) => {
      this.tools.logger.error({ worker: number, ...errorFields(error) }, 'a worker broke');
    });
    this.ended = new Promise((resolve) => {
      this.thread.once('exit', resolve);
    });
    void this.ended.then(() => {
      this.hasEnded = true;
      endTurnOf(decompression, number);
      this.isStarted.reject(new WorkerEndedError(`worker ${number} has ended`));
      this.scraping?.resolve(undefined);
    });
    // Whoever starts it waits for it.
    this.isStarted.promise.catch(() => undefined);
  }

  /** Resolves when it works. @throws {WorkerEndedError} */
  async start(start: WorkerStart): Promise<void> {
    this.tell({ type: 'start', start });
    await this.isStarted.promise;
  }

  tell(message: ToWorker): void {
    this.thread.postMessage(message);
  }

  /** Ends it wherever it is. */
  async terminate(): Promise<void> {
    await this.thread.terminate();
  }

  check(): void {
    this.unanswered += 1;
    this.tell({ type: 'check' });
  }

  /** What keeps it from moving on, for the liveness probe. */
  get problems(): readonly string[] {
    const problems = this.unanswered > unansweredMax ? ['its event loop does not turn'] : this.problemsTold;
    return problems.map((problem) => `worker ${this.number}: ${problem}`);
  }

  /** What it counts now, or counted last. */
  async scrape(): Promise<ScrapedMetrics> {
    if (this.hasEnded) return this.metricsTold;
    if (this.scraping === null) {
      this.scraping = Promise.withResolvers();
      this.tell({ type: 'scrape' });
    }
    const patience = new AbortController();
    const late = this.tools.clock.sleep(scrapeWaitMs, patience.signal).catch(() => undefined);
    await Promise.race([this.scraping.promise, late]);
    patience.abort();
    return this.metricsTold;
  }

  private hear(message: FromWorker): void {
    switch (message.type) {
      case 'started':
        this.isStarted.resolve(undefined);
        return;
      case 'checked':
        this.unanswered = 0;
        this.problemsTold = message.problems;
        this.figures = message.figures;
        return;
      case 'scraped':
        this.metricsTold = message.metrics;
        this.scraping?.resolve(undefined);
        this.scraping = null;
    }
  }
}

/**
 * The workers of this process. They load while the main thread opens the database, start when it has, drain when it drains,
 * and hear from it what its files hold. None is started anew: a process whose worker has ended drains and ends
 * (docs/decisions/0172-workers-are-threads.md).
 */
export class WorkerPool implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  /** Resolves when a worker has ended that nobody told to. */
  readonly broken: Promise<void>;
  private readonly workers: readonly WorkerThread[];
  private readonly checks: BackgroundLoop;
  private readonly breaking = Promise.withResolvers<undefined>();
  private isDraining = false;

  constructor(
    private readonly configuration: Configuration,
    { logger, metrics, wake }: Pick<Platform, 'logger' | 'metrics' | 'wake'>,
    file: URL = workerFile,
  ) {
    const clock = new SystemClock();
    const count = configuration.live.whole.workers;
    const decompression = sharedDecompression(count);
    // The main thread takes batches apart that operators have taken in after all.
    shareDecompression(decompression, count + 1);
    const tools = { logger, clock, file, decompression };
    this.workers = Array.from({ length: count }, (_, index) => new WorkerThread(index + 1, tools));
    for (const worker of this.workers) void worker.ended.then((code) => this.ended(worker, code, logger));
    this.broken = this.breaking.promise;
    this.checks = new BackgroundLoop({
      workOnce: () => this.check(),
      close: () => Promise.resolve(),
      failureMessage: 'the workers could not be asked how they are',
      ...{ clock, random: new SystemRandom(), logger },
    });
    this.passOn(wake);
    const main = new BusyRatio(() => performance.eventLoopUtilization());
    const busy = this.workers.map(({ number, busy: ratio }) => [String(number), ratio] as const);
    registerBusyMetrics(metrics.registry, new Map([...busy, ['main', main]]));
  }

  async onApplicationBootstrap(): Promise<void> {
    const { live, programs, dialectFile } = this.configuration;
    const start = { variables: { ...live.variables }, texts: live.texts, dialectFile };
    await Promise.all(this.workers.map((worker) => worker.start({ ...start, programsText: programs.current.text })));
    this.checks.start();
  }

  onModuleDestroy(): void {
    this.isDraining = true;
    this.tellAll({ type: 'drain', reason: 'the process drains' });
  }

  /** @throws {WorkerEndedError} where one could not end as it should */
  async beforeApplicationShutdown(): Promise<void> {
    const codes = await Promise.all(this.workers.map(({ ended }) => ended));
    await this.checks.stop();
    const failed = codes.filter((code) => code !== exitOk).length;
    if (failed > 0) throw new WorkerEndedError(`${failed} of ${codes.length} workers did not drain`);
  }

  /** What keeps workers from moving on. */
  get problems(): readonly string[] {
    return this.workers.flatMap(({ problems }) => problems);
  }

  /** What each of them knows of its work. */
  get figures(): readonly ProcessFigures[] {
    return this.workers.map(({ figures }) => figures);
  }

  scrape(): Promise<readonly ScrapedMetrics[]> {
    return Promise.all(this.workers.map((worker) => worker.scrape()));
  }

  private check(): Promise<number> {
    for (const worker of this.workers) worker.check();
    return Promise.resolve(checkMs);
  }

  private ended(worker: WorkerThread, code: number, logger: Logger): void {
    if (this.isDraining) return;
    logger.error({ worker: worker.number, code }, 'a worker has ended: the others drain, and the process ends');
    this.breaking.resolve(undefined);
  }

  /** What the main thread takes over or learns, the workers do, too. */
  private passOn(wake: Platform['wake']): void {
    const { live, programs } = this.configuration;
    live.whenAdopted((texts) => {
      this.tellAll({ type: 'files', texts });
    });
    programs.whenTakenOver((text) => {
      this.tellAll({ type: 'programs', text });
    });
    wake.onNotify(() => {
      this.tellAll({ type: 'wake' });
    });
  }

  private tellAll(message: ToWorker): void {
    for (const worker of this.workers) worker.tell(message);
  }
}

/** The workers of a process, for its main thread. */
@Module({
  providers: [
    {
      provide: WorkerPool,
      inject: [Configuration, Platform],
      useFactory: (configuration: Configuration, platform: Platform) => new WorkerPool(configuration, platform),
    },
  ],
  exports: [WorkerPool],
})
export class WorkersModule {}
