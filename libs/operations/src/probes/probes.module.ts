import { ConfigurableModuleBuilder, Module } from '@nestjs/common';

import type { ProbeSource } from './probes.controller.js';
import { HealthController, MetricsController, PROBE_SOURCE } from './probes.controller.js';

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<ProbeSource>({ optionsInjectionToken: PROBE_SOURCE })
  .setClassMethodName('forRoot')
  .build();

/** Probes and metrics, whatever the roles, by `forRoot(ProbeSource)` or `forRootAsync({ imports, inject, useFactory })`. */
@Module({ controllers: [HealthController, MetricsController] })
export class ProbesModule extends ConfigurableModuleClass {}
