import type { DynamicModule, ModuleMetadata } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';

import { AccessGuard } from '../access/access.guard.js';
import { ReadersInterceptor } from '../access/readers.interceptor.js';
import { IntentRepository } from '../intents/list-intents.js';
import { EventRepository } from './event-repository.js';
import { EventService } from './event-service.js';
import { EventStatusController } from './events.controller.js';

/** What became of events, in a process that serves no more of the operations API: who writes there may ask there. */
@Module({
  controllers: [EventStatusController],
  providers: [
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_INTERCEPTOR, useClass: ReadersInterceptor },
    EventRepository,
    EventService,
    IntentRepository,
  ],
})
export class EventStatusModule {
  /** @param imports what provides `AccessSettings`, `SourceTopics`, `Database` and `Clock` */
  static forRoot(imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: EventStatusModule, imports };
  }
}
