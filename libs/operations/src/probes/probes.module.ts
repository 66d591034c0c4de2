import type { DynamicModule, ModuleMetadata } from '@nestjs/common';
import { Module } from '@nestjs/common';

import { HealthController, MetricsController } from './probes.controller.js';

/** Probes and metrics, whatever the roles. */
@Module({ controllers: [HealthController, MetricsController] })
export class ProbesModule {
  /** @param imports what provides `ProbeSource` */
  static forRoot(imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: ProbesModule, imports };
  }
}
