import type { DynamicModule, OnApplicationShutdown } from '@nestjs/common';
import { Injectable, Module } from '@nestjs/common';

import type { Tracer } from '#platform';
import { LocalWake, Logger, SystemRandom, Tracing } from '#platform';

import { Configuration } from './environment/configuration.module.js';
import { createMetrics, DaemonMetrics } from './metrics/daemon-metrics.js';
import { BackgroundMetrics } from './metrics/process-metrics.js';
import { CallTally } from './observation/call-tally.js';
import { ConsumerLag } from './observation/consumer-lag.js';
import { PartnerCalls } from './observation/partner-calls.js';
import { startTracing } from './tracing.js';

/** How long a stop waits for a collector to take what is left: a small part of the grace, for it may be away. */
const tracingCloseMsMax = 2_000;

/** What every part of a process is given. */
@Injectable()
export class Platform {
  /** Names this process to the others. */
  readonly processId = new SystemRandom().uuid();
  readonly wake = new LocalWake();
  /** Notified when something was changed through the operations API of this process. */
  readonly actions = new LocalWake();
  readonly tracer: Tracer;
  readonly background: BackgroundMetrics;
  /** What this process has asked of the partner lately. */
  readonly calls = new PartnerCalls();
  /** The same by minute, as far as it is not written down yet. */
  readonly callTally = new CallTally();
  /** How far behind Kafka this process is. */
  readonly lag = new ConsumerLag();

  constructor(
    readonly logger: Logger,
    readonly metrics: DaemonMetrics,
    { tracer }: Tracing,
  ) {
    this.tracer = tracer;
    this.background = new BackgroundMetrics(metrics.registry);
  }
}

/** The log, metrics and traces. The traces end last of all. */
@Module({
  providers: [
    {
      provide: DaemonMetrics,
      inject: [Configuration],
      useFactory: ({ environment }: Configuration) => createMetrics(environment),
    },
    {
      provide: Tracing,
      inject: [Configuration, Logger],
      useFactory: ({ live }: Configuration, logger: Logger) => startTracing(live, logger),
    },
    Platform,
  ],
  exports: [Logger, Platform],
})
export class PlatformModule implements OnApplicationShutdown {
  constructor(private readonly tracing: Tracing) {}

  static forRoot(logger: Logger): DynamicModule {
    return { module: PlatformModule, global: true, providers: [{ provide: Logger, useValue: logger }] };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.tracing.close(tracingCloseMsMax);
  }
}
