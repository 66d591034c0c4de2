import type { DynamicModule, ModuleMetadata, OnModuleInit } from '@nestjs/common';
import { Global, Module } from '@nestjs/common';

import { KafkaModule } from '#kafka';
import { ProbeSource } from '#operations';

import { registerGateMetrics } from '../metrics/process-metrics.js';
import { Platform } from '../platform.module.js';
import { Figures } from './figures.js';
import { OwnFigures } from './own-figures.js';
import { DaemonProbes, Running } from './probes.js';

/** Loops that keep figures run until the work that they describe has ended. */
@Global()
@Module({
  imports: [KafkaModule],
  providers: [Figures, OwnFigures],
  exports: [Figures, OwnFigures],
})
export class FiguresModule {}

/** Observation of this process: probes, metrics and figures of its roles. */
@Module({
  providers: [Running, DaemonProbes, { provide: ProbeSource, useExisting: DaemonProbes }],
  exports: [DaemonProbes, ProbeSource],
})
export class ObservationModule implements OnModuleInit {
  constructor(
    private readonly roles: Running,
    private readonly figures: Figures,
    private readonly own: OwnFigures,
    private readonly platform: Platform,
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
      metrics.knowWaiting(ingest.waitingPartitions);
      background.watch('dead-letters', ingest.deadLetters === null ? [] : [ingest.deadLetters]);
      background.watch('erasures', [ingest.erasures]);
    }
    if (stats !== null) this.figures.keepOverview(stats);
  }
}
