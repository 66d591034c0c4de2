export { admitBeforeBodies } from './access/admission.js';
export {
  apiBodyBytesMax,
  ApiOperation,
  BodyBytesMax,
  PathParams,
  Producers,
  recordBodyBytesMax,
  Signed,
  wantsRawBody,
} from './access/route-rules.js';
export { AccessGuard, ApiController } from './access/access.guard.js';
export { FailedLogins } from './access/authenticator.js';
export { ProviderOperators } from './access/provider-operators.js';
export { ByProducer } from './access/operator.js';
export type { Producer } from './access/operator.js';
export { answerLimits } from './access/answers-under-way.js';
export type { AnswerLimits } from './access/answers-under-way.js';
export { AccessSettings } from './access/access-settings.js';
export { OperationsObserver } from './access/operations-observer.js';
export { ConsoleSettings } from './console/console-settings.js';
export { PublishedTopics } from './contracts/contracts.controller.js';
export { Doctor } from './doctor/doctor.controller.js';
export { NoticeRepository } from './notices/notice-repository.js';
export type { Undelivered } from './notices/notice-repository.js';
export { NoticeSettings } from './notices/notice-settings.js';
export { NoticeWork } from './notices/notice-work.js';
export { AskedPartner } from './partner-reading/partner-questions.js';
export { Intake } from './quarantine/quarantine-service.js';
export { LoginLinks } from './console/login-links.js';
export { EventStatusModule } from './events/event-status.module.js';
export { SourceTopics } from './events/event-service.js';
export { FailureGroupRepository } from './groups/list-groups.js';
export { IntentRepository } from './intents/list-intents.js';
export type { IntentFilter, ListPosition } from './intents/list-intents.js';
export type { JobWork } from './jobs/job-runner.js';
export { JobRunners } from './jobs/job-runner.js';
export { TopicReader, TopicRules } from './jobs/kinds/reread-topic/topic-reader.js';
export type { BrokersPartition, PartToRead, ReadPart } from './jobs/kinds/reread-topic/topic-reader.js';
export { TopicJobsModule } from './jobs/topic-jobs.module.js';
export { PartnerJobsModule } from './jobs/partner-jobs.module.js';
export { PartnerJobTools } from './partner-reading/partner-job-tools.js';
export { openApi } from './contracts/open-api.js';
export { OperationsModule, servedRoutes } from './operations.module.js';
export { ProbeSource } from './probes/probes.controller.js';
export type { ProbeAnswer } from './probes/probes.controller.js';
export { ApiProblem, httpProblem, ProblemFilter, problemOf, problemType, sendProblem } from './problems/api-problem.js';
export type { ProblemReply } from './problems/api-problem.js';
export { ZodPipe } from './requests/read-request.js';
export { ProgramsControl } from './reload/programs-control.js';
export type { RecordReload, ReloadOutcome } from './reload/programs-control.js';
export { minuteLooks } from './series/minute-looks.js';
export { StatusRepository } from './stats/intents-by-events.js';
export type {
  IntentWithStatus,
  OldestUnknown,
  QuarantinedRecord,
  StatusCounts,
  WorkCounts,
} from './stats/intents-by-events.js';
export { ProbesModule } from './probes/probes.module.js';
export { StatsService } from './stats/stats-service.js';
export type { Stats } from './stats/stats-service.js';
export { countsByStatus } from './stats/stats-view.js';
export { LiveFeed } from './stream/live-feed.js';
