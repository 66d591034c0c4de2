import type { DynamicModule, ModuleMetadata } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, DiscoveryModule } from '@nestjs/core';

import { IntentsModule } from '#intents';

import { AccessAudit } from './access/access-audit.js';
import { AccessGuard } from './access/access.guard.js';
import { ReadersInterceptor } from './access/readers.interceptor.js';
import { WakeAfterWriteInterceptor } from './access/wake-after-write.interceptor.js';
import { AuditService } from './audit/audit-service.js';
import { AuditController } from './audit/audit.controller.js';
import { ConsoleController } from './console/console.controller.js';
import { SessionController } from './console/session.controller.js';
import { ContractsController, OpenApiController } from './contracts/contracts.controller.js';
import type { DescribedRoute } from './contracts/described-routes.js';
import { routesOf } from './contracts/described-routes.js';
import { CorrectionService } from './corrections/correction-service.js';
import { Revisions } from './corrections/revisions.js';
import { CorrectionsController } from './corrections/corrections.controller.js';
import { DoctorController } from './doctor/doctor.controller.js';
import { EventRepository } from './events/event-repository.js';
import { EventService } from './events/event-service.js';
import { EventStatusController } from './events/events.controller.js';
import { ErasureWork } from './jobs/kinds/erase/erasure-work.js';
import { ExportRepository } from './jobs/kinds/export/export-repository.js';
import { ExportWork } from './jobs/kinds/export/export-work.js';
import { CorrectionPlans } from './jobs/kinds/correct/correct-order.js';
import { CorrectionParts, CorrectWork } from './jobs/kinds/correct/correct-work.js';
import { RecordItemRepository } from './jobs/kinds/records/record-items.js';
import { RecordOrders } from './jobs/kinds/records/record-orders.js';
import { PreviewParts, RecordPreviews } from './jobs/kinds/records/record-previews.js';
import { DiscardWork, RecordParts, ResubmitWork } from './jobs/kinds/records/record-work.js';
import { AskPlans } from './jobs/kinds/ask/ask-order.js';
import { CancelWork, ResolveWork, SettleWork } from './jobs/kinds/decide/decide-work.js';
import { ReplayWork } from './jobs/kinds/replay/replay-work.js';
import { DoubtfulCallRepository } from './jobs/kinds/settle/doubtful-calls.js';
import { SettlePlans } from './jobs/kinds/settle/settle-order.js';
import { DoubtfulIntentRepository } from './jobs/kinds/reread/doubtful-intents.js';
import { RereadingWork } from './jobs/kinds/reread/rereading-work.js';
import { JobRunners } from './jobs/job-runner.js';
import { ExportLines } from './jobs/kinds/export/export-reading.js';
import { GroupService } from './groups/group-service.js';
import { FailureGroupRepository } from './groups/list-groups.js';
import { GroupsController } from './groups/groups.controller.js';
import { CommonMessages } from './groups/common-messages.js';
import { IntentActions } from './intents/intent-actions.js';
import { IntentActionsController } from './intents/intent-actions.controller.js';
import { IntentCounter } from './intents/count-listed.js';
import { OpenIntents } from './intents/count-open.js';
import { IntentDownloads } from './intents/intent-downloads.js';
import { IntentListsController } from './intents/intent-lists.controller.js';
import { IntentLookup } from './intents/intent-lookup.js';
import { IntentValues } from './intents/list-values.js';
import { IntentService } from './intents/intent-service.js';
import { IntentRepository } from './intents/list-intents.js';
import { IntentsController } from './intents/intents.controller.js';
import { TimelineRepository } from './intents/timeline.js';
import { DoubtPlans, ItemPlans, JobOrders, OrderRules } from './jobs/job-orders.js';
import { ItemRequests } from './jobs/job-view.js';
import { JobItemRepository } from './jobs/job-items.js';
import { JobRepository } from './jobs/job-repository.js';
import { JobItems, JobLines, JobRequests, JobService } from './jobs/job-service.js';
import { JobsController } from './jobs/jobs.controller.js';
import { MemberRepository } from './members/member-repository.js';
import { MemberService } from './members/member-service.js';
import { MemberRecords, PartnerViewService } from './members/partner-view.js';
import { MembersController } from './members/members.controller.js';
import { LookAdmission } from './partner-reading/look-admission.js';
import { PartnerQuestions } from './partner-reading/partner-questions.js';
import { NoticeRepository } from './notices/notice-repository.js';
import { NoticeService } from './notices/notice-service.js';
import { NoticeWork } from './notices/notice-work.js';
import { NoticesController } from './notices/notices.controller.js';
import { PassListing } from './passes/pass-listing.js';
import { PassesController } from './passes/passes.controller.js';
import { PauseService } from './pauses/pause-service.js';
import { PausesController } from './pauses/pauses.controller.js';
import { WaitingRepository } from './pauses/what-waits.js';
import { HealthController, MetricsController } from './probes/probes.controller.js';
import { ProvisionedRepository } from './jobs/kinds/provision/provisioned-repository.js';
import { ProvisionedService } from './jobs/kinds/provision/provisioned-service.js';
import { ProvisionedController } from './jobs/kinds/provision/provisioned.controller.js';
import { QuarantineRecords } from './quarantine/quarantine-records.js';
import { QuarantineService, QuarantineStore } from './quarantine/quarantine-service.js';
import { QuarantineActionsController, QuarantineController } from './quarantine/quarantine.controller.js';
import { ProgramsService } from './reload/programs-service.js';
import { DialectController, ProgramsController } from './reload/programs.controller.js';
import { ReloadService } from './reload/reload-service.js';
import { ReloadController } from './reload/reload.controller.js';
import { PlannedActions } from './intents/planned-actions.js';
import { PlannedCommands } from './requests/planned-commands.js';
import { RequestPreviews } from './requests/request-previews.js';
import { SearchRepository } from './search/search-repository.js';
import { SearchService } from './search/search-service.js';
import { SearchController } from './search/search.controller.js';
import { SeriesRepository } from './series/read-series.js';
import { SeriesController } from './series/series.controller.js';
import { OverviewRepository } from './stats/overview.js';
import { StatsService } from './stats/stats-service.js';
import { StatsController } from './stats/stats.controller.js';
import { ChangeSources } from './stream/live-changes.js';
import { LiveFeed } from './stream/live-feed.js';
import { StreamController } from './stream/stream.controller.js';

const controllers = [
  AuditController,
  ConsoleController,
  SessionController,
  ContractsController,
  CorrectionsController,
  DoctorController,
  EventStatusController,
  GroupsController,
  IntentActionsController,
  IntentListsController,
  IntentsController,
  JobsController,
  MembersController,
  NoticesController,
  OpenApiController,
  PassesController,
  PausesController,
  ProvisionedController,
  QuarantineActionsController,
  QuarantineController,
  ReloadController,
  ProgramsController,
  DialectController,
  SearchController,
  SeriesController,
  StatsController,
  StreamController,
];

/** Everything that the port of a process with the role `operations` serves: no process is needed to know it. */
export const servedRoutes = (): DescribedRoute[] => routesOf([...controllers, HealthController, MetricsController]);

/**
 * The operations API. What it asks of its process it is given by the modules that it imports: `Database`, `Clock`, `Random`,
 * `MemberKeys`, `DialectRegistry`, `AccessSettings`, `ConsoleSettings`, `PublishedTopics`, `ProgramsControl`, `Intake`,
 * `AskedPartner`, `Doctor`, `NoticeSettings`, `SourceTopics`, `TopicRules` and `OperationsObserver`.
 */
@Module({
  imports: [DiscoveryModule, IntentsModule],
  controllers,
  providers: [
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_INTERCEPTOR, useClass: ReadersInterceptor },
    { provide: APP_INTERCEPTOR, useClass: WakeAfterWriteInterceptor },
    AccessAudit,
    AskPlans,
    AuditService,
    CancelWork,
    ChangeSources,
    CorrectionParts,
    CorrectionPlans,
    CorrectionService,
    CorrectWork,
    DiscardWork,
    DoubtPlans,
    DoubtfulCallRepository,
    DoubtfulIntentRepository,
    ErasureWork,
    EventRepository,
    EventService,
    ExportLines,
    ExportRepository,
    ExportWork,
    FailureGroupRepository,
    GroupService,
    IntentActions,
    IntentCounter,
    IntentDownloads,
    IntentLookup,
    IntentRepository,
    IntentService,
    IntentValues,
    ItemPlans,
    ItemRequests,
    JobOrders,
    JobItemRepository,
    JobItems,
    JobLines,
    JobRepository,
    JobRequests,
    JobRunners,
    JobService,
    LiveFeed,
    LookAdmission,
    MemberRecords,
    MemberRepository,
    MemberService,
    NoticeRepository,
    NoticeService,
    NoticeWork,
    OpenIntents,
    OrderRules,
    OverviewRepository,
    PartnerQuestions,
    PartnerViewService,
    PassListing,
    PauseService,
    ProgramsService,
    ProvisionedRepository,
    ProvisionedService,
    QuarantineRecords,
    QuarantineService,
    QuarantineStore,
    ReloadService,
    ReplayWork,
    PlannedActions,
    PlannedCommands,
    PreviewParts,
    RecordItemRepository,
    RecordOrders,
    RecordParts,
    RecordPreviews,
    RequestPreviews,
    RereadingWork,
    ResolveWork,
    ResubmitWork,
    Revisions,
    SearchRepository,
    SearchService,
    SeriesRepository,
    SettlePlans,
    SettleWork,
    CommonMessages,
    StatsService,
    TimelineRepository,
    WaitingRepository,
  ],
  exports: [JobRunners, NoticeWork, StatsService],
})
export class OperationsModule {
  /** @param imports what provides the ports above */
  static forRoot(imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: OperationsModule, imports };
  }
}
