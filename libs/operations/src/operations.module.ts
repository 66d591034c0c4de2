import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';

import { HealthController } from './probes/health.controller.js';
import { MetricsController } from './probes/metrics.controller.js';
import { PROBE_SOURCE } from './probes/probe-source.js';
import type { ProbeSource } from './probes/probe-source.js';

/** Probes and metrics, served by every role. Nothing else is served before there is authentication. */
@Module({})
export class OperationsModule {
  static forRoot(source: ProbeSource): DynamicModule {
    return {
      module: OperationsModule,
      controllers: [HealthController, MetricsController],
      providers: [{ provide: PROBE_SOURCE, useValue: source }],
    };
  }
}
