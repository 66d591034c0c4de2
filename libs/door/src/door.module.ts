import type { DynamicModule, ModuleMetadata } from '@nestjs/common';
import { Module } from '@nestjs/common';

import { KafkaModule } from '#kafka';

import { EventsController } from './cloud-events/events.controller.js';
import { EventsService } from './cloud-events/events.service.js';
import { Door } from './door.js';
import { HookSecrets } from './hooks/hook-secrets.js';
import { HooksController } from './hooks/hooks.controller.js';
import { HookSignatures, HooksService } from './hooks/hooks.service.js';
import { DoorWriter } from './topic/door-writer.js';

/**
 * Shops without Kafka: CloudEvents and signed webhooks by HTTP, into the topic of their source. What it asks of its process it is
 * given by the modules that it imports: `DoorSettings`, `DoorSources`, `AccessSettings`, `Clock` and `Logger`.
 */
@Module({
  imports: [KafkaModule],
  controllers: [EventsController, HooksController],
  providers: [Door, DoorWriter, EventsService, HooksService, HookSecrets, HookSignatures],
})
export class DoorModule {
  /** @param imports what provides the ports above */
  static forRoot(imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: DoorModule, imports };
  }
}
