import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, DiscoveryModule } from '@nestjs/core';

import { AccessGuard } from './access/access.guard.js';
import { DeedInterceptor } from './access/deed.interceptor.js';
import type { ApiSettings } from './api-settings.js';
import { API_SETTINGS } from './api-settings.js';
import { AuditController } from './audit/audit.controller.js';
import { ConsoleController } from './console/console.controller.js';
import { SessionController } from './console/session.controller.js';
import { ContractsController, OpenApiController } from './contracts/contracts.controller.js';
import type { DescribedRoute } from './contracts/described-routes.js';
import { routesOf } from './contracts/described-routes.js';
import { CorrectionsController } from './corrections/corrections.controller.js';
import { DoctorController } from './doctor/doctor.controller.js';
import { GroupsController } from './groups/groups.controller.js';
import { SharedWordings } from './groups/shared-wordings.js';
import { IntentActionsController } from './intents/intent-actions.controller.js';
import { IntentCounter } from './intents/count-listed.js';
import { IntentLookup } from './intents/intent-lookup.js';
import { IntentsController } from './intents/intents.controller.js';
import { JobService } from './jobs/job-service.js';
import { JobsController } from './jobs/jobs.controller.js';
import { MembersController } from './members/members.controller.js';
import { LookAdmission } from './partner-reading/look-admission.js';
import { PassesController } from './passes/passes.controller.js';
import { PausesController } from './pauses/pauses.controller.js';
import { HealthController, MetricsController } from './probes/probes.controller.js';
import { ProvisionedController } from './jobs/kinds/provision/provisioned.controller.js';
import { QuarantineService } from './quarantine/quarantine-service.js';
import { QuarantineActionsController, QuarantineController } from './quarantine/quarantine.controller.js';
import { DialectController, ProgramsController } from './reload/programs.controller.js';
import { ReloadController } from './reload/reload.controller.js';
import { SeriesController } from './series/series.controller.js';
import { StatsService } from './stats/stats-service.js';
import { StatsController } from './stats/stats.controller.js';
import { LiveFeed } from './stream/live-feed.js';
import { StreamController } from './stream/stream.controller.js';

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<ApiSettings>({ optionsInjectionToken: API_SETTINGS })
  .setClassMethodName('forRoot')
  .build();

const controllers = [
  AuditController,
  ConsoleController,
  SessionController,
  ContractsController,
  CorrectionsController,
  DoctorController,
  GroupsController,
  IntentActionsController,
  IntentsController,
  JobsController,
  MembersController,
  OpenApiController,
  PassesController,
  PausesController,
  ProvisionedController,
  QuarantineActionsController,
  QuarantineController,
  ReloadController,
  ProgramsController,
  DialectController,
  SeriesController,
  StatsController,
  StreamController,
];

/** Everything that the port of a process with the role `operations` serves: no process is needed to know it. */
export const servedRoutes = (): DescribedRoute[] => routesOf([...controllers, HealthController, MetricsController]);

/** The operations API, by `forRoot(ApiSettings)` or `forRootAsync({ imports, inject, useFactory })`. */
@Module({
  imports: [DiscoveryModule],
  controllers,
  providers: [
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_INTERCEPTOR, useClass: DeedInterceptor },
    IntentCounter,
    IntentLookup,
    JobService,
    LiveFeed,
    {
      provide: LookAdmission,
      inject: [API_SETTINGS],
      useFactory: (settings: ApiSettings) => new LookAdmission(settings),
    },
    QuarantineService,
    SharedWordings,
    StatsService,
  ],
  exports: [API_SETTINGS, StatsService],
})
export class OperationsModule extends ConfigurableModuleClass {}
