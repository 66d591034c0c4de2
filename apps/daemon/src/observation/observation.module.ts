import type { DynamicModule, ModuleMetadata, OnModuleInit } from '@nestjs/common';
import { Global, Inject, Module } from '@nestjs/common';

import { DeliveryLoop } from '#outbox';
import type { Ingest } from '#events/ingest';
import { INGEST } from '#events/ingest';
import { KafkaDriver, KafkaModule } from '#kafka';
import { ProbeSource, StatsService } from '#operations';

import { Configuration } from '../environment/configuration.module.js';
import { registerGateMetrics } from '../metrics/process-metrics.js';
import { Platform } from '../platform.module.js';
import type { Storage } from '../storage/storage.module.js';
import { STORAGE } from '../storage/storage.module.js';
import { ClockWatch } from './clock-watch.js';
import { Figures } from './figures.js';
import { OwnFigures } from './own-figures.js';
import { DaemonProbes } from './probes.js';

/** Loops that keep figures run until the work that they describe has ended. */
@Global()
@Module({
  imports: [KafkaModule],
  providers: [
    {
      provide: Figures,
      inject: [Configuration, STORAGE, Platform, KafkaDriver],
      useFactory: (...parts: ConstructorParameters<typeof Figures>) => new Figures(...parts),
    },
    {
      provide: OwnFigures,
      inject: [STORAGE, Platform],
      useFactory: ({ clock }: Storage, { calls, lag }: Platform) => new OwnFigures({ clock, calls, lag }),
    },
  ],
  exports: [Figures, OwnFigures],
})
export class FiguresModule {}

/** What this process runs; null where it does not. */
interface Running {
  readonly delivery: DeliveryLoop | null;
  readonly ingest: Ingest | null;
  readonly stats: StatsService | null;
}

const RUNNING = Symbol('Running');

/** Observation of this process: probes, metrics and figures of its roles. */
@Module({
  providers: [
    {
      provide: RUNNING,
      inject: [DeliveryLoop, INGEST, StatsService].map((token) => ({ token, optional: true })),
      useFactory: (
        delivery: DeliveryLoop | null = null,
        ingest: Ingest | null = null,
        stats: StatsService | null = null,
      ): Running => ({ delivery, ingest, stats }),
    },
    {
      provide: DaemonProbes,
      inject: [STORAGE, Platform, ClockWatch, RUNNING],
      useFactory: ({ clock, connection }: Storage, { metrics }: Platform, { presence }: ClockWatch, roles: Running) =>
        new DaemonProbes({ ...{ clock, presence, metrics }, database: connection.database, ...roles }),
    },
    { provide: ProbeSource, useExisting: DaemonProbes },
  ],
  exports: [DaemonProbes, ProbeSource],
})
export class ObservationModule implements OnModuleInit {
  constructor(
    @Inject(RUNNING) private readonly roles: Running,
    @Inject(Figures) private readonly figures: Figures,
    @Inject(OwnFigures) private readonly own: OwnFigures,
    @Inject(Platform) private readonly platform: Platform,
  ) {}

  /** @param imports the roles of this process */
  static forRoot(imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: ObservationModule, imports };
  }

  onModuleInit(): void {
    const { delivery, ingest, stats } = this.roles;
    const { metrics, background } = this.platform;
    this.own.watch(this.roles);
    if (delivery !== null) {
      registerGateMetrics(metrics.registry, () => delivery.gates);
      this.figures.keepCalls();
    }
    if (ingest !== null) {
      this.figures.keepLag(ingest);
      background.watch('dead-letters', ingest.deadLetters === null ? [] : [ingest.deadLetters]);
      background.watch('erasures', [ingest.erasures]);
    }
    if (stats !== null) this.figures.keepOverview(stats);
  }
}
