import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { ConfigurableModuleBuilder, Inject, Module } from '@nestjs/common';

import type { Program } from '#contracts';

import type { DeliveryPorts } from './delivery-loop.js';
import { DeliveryLoop } from './delivery-loop.js';
import type { DeliverySettings } from './settings.js';

/** Everything delivery needs from its process. */
export interface DeliveryModuleOptions {
  readonly ports: DeliveryPorts;
  readonly settings: DeliverySettings;
  /** In force when the application starts; `DeliveryLoop.setPrograms` replaces them. */
  readonly programs: () => Readonly<Record<string, Program>>;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<DeliveryModuleOptions>()
  .setClassMethodName('forRoot')
  .build();

/**
 * Delivery as a Nest module, by `forRoot(DeliveryModuleOptions)` or `forRootAsync({ imports, inject, useFactory })`. Provides
 * `DeliveryLoop`. It claims from the application's bootstrap on; as the application ends it claims no more at once, and the
 * calls under way are finished and recorded before the application shuts down.
 */
@Module({
  providers: [
    {
      provide: DeliveryLoop,
      inject: [MODULE_OPTIONS_TOKEN],
      useFactory: ({ ports, settings }: DeliveryModuleOptions) => new DeliveryLoop(ports, settings),
    },
  ],
  exports: [DeliveryLoop],
})
export class DeliveryModule
  extends ConfigurableModuleClass
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private drained: Promise<void> | null = null;

  constructor(
    @Inject(DeliveryLoop) private readonly loop: DeliveryLoop,
    @Inject(MODULE_OPTIONS_TOKEN) private readonly options: DeliveryModuleOptions,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.loop.start(this.options.programs());
  }

  onModuleDestroy(): void {
    this.drained = this.loop.drain();
    // Awaited below, when all intake has been stopped.
    this.drained.catch(() => undefined);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.drained;
  }
}
