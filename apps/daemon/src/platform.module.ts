import type { DynamicModule, OnApplicationShutdown } from '@nestjs/common';
import { Inject, Module } from '@nestjs/common';

import type { Logger, Tracer, Tracing } from '#platform';
import { LocalWake, SystemRandom } from '#platform';

import { Configuration } from './environment/configuration.module.js';
import { createMetrics, DaemonMetrics } from './metrics/daemon-metrics.js';
import { BackgroundMetrics } from './metrics/process-metrics.js';
import { CallTally } from './observation/call-tally.js';
import { ConsumerLag } from './observation/consumer-lag.js';
import { PartnerCalls } from './observation/partner-calls.js';
import { startTracing } from './tracing.js';

/** How long a stop waits for a collector to take what is left: a small part of the grace, for it may be away. */
const tracingCloseMsMax = 2_000;

const LOGGER = Symbol('Logger');
const TRACING = Symbol('Tracing');

/** What every part of a process is given. */
export class Platform {
  /** Names this process to the others. */
  readonly processId = new SystemRandom().uuid();
  readonly wake = new LocalWake();
  /** Notified when somebody has changed something through the operations API of this process. */
  readonly actions = new LocalWake();
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
    readonly tracer: Tracer,
  ) {
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
      provide: TRACING,
      inject: [Configuration, LOGGER],
      useFactory: ({ live }: Configuration, logger: Logger) => startTracing(live, logger),
    },
    {
      provide: Platform,
      inject: [LOGGER, DaemonMetrics, TRACING],
      useFactory: (logger: Logger, metrics: DaemonMetrics, { tracer }: Tracing) =>
        new Platform(logger, metrics, tracer),
    },
  ],
  exports: [Platform],
})
export class PlatformModule implements OnApplicationShutdown {
  constructor(@Inject(TRACING) private readonly tracing: Pick<Tracing, 'close'>) {}

  static forRoot(logger: Logger): DynamicModule {
    return { module: PlatformModule, global: true, providers: [{ provide: LOGGER, useValue: logger }] };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.tracing.close(tracingCloseMsMax);
  }
}
