import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';

import { DoorModule } from '#door';
import { DeliveryLoop, DeliveryModule } from '#outbox';
import { GatewayModule, Partner } from '#gateway';
import { EventsModule, IngestModule } from '#events/ingest';
import type { IngestSettings } from '#events/ingest';
import {
  EventStatusModule,
  OperationsModule,
  PartnerJobsModule,
  ProbesModule,
  ProblemFilter,
  TopicJobsModule,
} from '#operations';
import type { LoginLinks } from '#operations';
import type { Logger } from '#platform';

import { WorkNotificationsModule } from './background/work-notifications.module.js';
import { DoorPortsModule } from './door/door-ports.module.js';
import { Configuration, ConfigurationModule } from './environment/configuration.module.js';
import type { LiveEnvironment } from './environment/live-environment.js';
import { SecretsModule } from './environment/secrets.module.js';
import { ingestSettings } from './kafka/ingest-settings.js';
import { KafkaAccess } from './kafka/kafka-access.js';
import { KafkaAccessModule } from './kafka/kafka-access.module.js';
import { PublishingModule } from './kafka/publishing.module.js';
import { TopicReaderModule } from './kafka/topic-reader.module.js';
import { ClockModule } from './observation/clock-watch.js';
import { FiguresModule, ObservationModule } from './observation/observation.module.js';
import { OperationsPortsModule, PartnerJobToolsModule } from './operations/operations-ports.module.js';
import { OperatorsWorkModule } from './operations/operators-work.module.js';
import { deliveryOptions } from './partner/delivery-options.js';
import { gatewayOptions, usesPartner } from './partner/gateway-options.js';
import { Platform, PlatformModule } from './platform.module.js';
import { ProgramsModule } from './programs/programs.module.js';
import type { Start } from './storage/storage.module.js';
import { Storage, StorageModule } from './storage/storage.module.js';

export interface DaemonOptions {
  readonly live: LiveEnvironment;
  readonly logger: Logger;
  readonly start: Start;
  /** Links that log an operator in to the console; absent: there are none. */
  readonly loginLinks?: LoginLinks;
}

/**
 * The only place that puts everything together. Roles choose modules; the order in which they start and end follows from
 * Nest's hooks, and `daemon.module.int.spec.ts` records it:
 *
 * - Global modules start first and end last, backwards. Of the others a module starts after what it imports and ends before it.
 * - `onApplicationBootstrap` starts. The consumer starts before (`startAllMicroservices`), the HTTP server after.
 * - `onModuleDestroy` stops all intake, and waits for nothing. `beforeApplicationShutdown` waits until what is under way has
 *   ended and is recorded, then ends what tells of it. The HTTP server closes. `onApplicationShutdown` closes the rest, the
 *   database after everything that uses it.
 */
@Module({})
export class DaemonModule {
  static forRoot({ live, logger, start, loginLinks }: DaemonOptions): DynamicModule {
    const { roles } = live.current;
    const delivery = roles.includes('delivery') ? [deliveryModule()] : [];
    const programs = ProgramsModule.forRoot(delivery);
    const ports = OperationsPortsModule.forRoot(loginLinks ?? null);
    const operations = roles.includes('operations') ? [OperationsModule.forRoot([programs, ports])] : [];
    const partnerJobs = usesPartner(live.current)
      ? [PartnerJobsModule.forRoot([programs, ports, PartnerJobToolsModule])]
      : [];
    const topicJobs =
      live.current.kafka === null ? [] : [TopicJobsModule.forRoot([ports, TopicReaderModule.forRoot([ports])])];
    const ingest = roles.includes('ingest') ? [ingestModule(delivery)] : [];
    const door = doorModules(ports, { roles, hasOperations: operations.length > 0 });
    const parts = [...delivery, ...ingest, ...operations];
    return {
      module: DaemonModule,
      imports: [
        ConfigurationModule.forRoot(live),
        PlatformModule.forRoot(logger),
        StorageModule.forRoot(start),
        KafkaAccessModule,
        ...(usesPartner(live.current) ? [gatewayModule()] : []),
        ClockModule,
        SecretsModule,
        FiguresModule,
        WorkNotificationsModule.forRoles(roles),
        ...(roles.includes('delivery') ? [PublishingModule] : []),
        programs,
        ...parts,
        ...door,
        ...operations.map((module) => OperatorsWorkModule.forRoot([module, ...partnerJobs, ...topicJobs])),
        ProbesModule.forRoot([ObservationModule.forRoot(parts)]),
      ],
      providers: [{ provide: APP_FILTER, useClass: ProblemFilter }],
    };
  }
}

/** What became of an event is asked at the operations API; without it the door answers that itself. */
function doorModules(
  ports: DynamicModule,
  { roles, hasOperations }: { readonly roles: readonly string[]; readonly hasOperations: boolean },
): DynamicModule[] {
  if (!roles.includes('door')) return [];
  const door = DoorModule.forRoot([DoorPortsModule, ports]);
  return hasOperations ? [door] : [door, EventStatusModule.forRoot([ports])];
}

function gatewayModule(): DynamicModule {
  const gateway = GatewayModule.forRootAsync({
    inject: [Configuration, Storage, Platform],
    useFactory: ({ live, dialects }: Configuration, { clock }: Storage, { logger }: Platform) =>
      gatewayOptions(live, dialects, { clock, logger }),
  });
  return { ...gateway, global: true };
}

function deliveryModule(): DynamicModule {
  return DeliveryModule.forRootAsync({
    inject: [Configuration, Storage, Platform, Partner],
    useFactory: deliveryOptions,
  });
}

function ingestModule(imports: DynamicModule[]): DynamicModule {
  const inject = [{ token: DeliveryLoop, optional: true }, Configuration, Storage, Platform, KafkaAccess];
  const useFactory = (
    handOver: DeliveryLoop | null | undefined,
    ...parts: Parameters<typeof ingestSettings>
  ): IngestSettings => ({ ...ingestSettings(...parts), handOver: handOver ?? null });
  return EventsModule.forRoot(IngestModule.forRootAsync({ imports, inject, useFactory }));
}
