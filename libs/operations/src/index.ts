export { admitBeforeBodies } from './access/admission.js';
export { apiBodyBytesMax } from './access/route-rules.js';
export { answerLimits } from './access/answers-under-way.js';
export type { AnswerLimits } from './access/answers-under-way.js';
export { AccessSettings } from './access/access-settings.js';
export { OperationsObserver } from './access/operations-observer.js';
export { ConsoleSettings } from './console/console-settings.js';
export { PublishedTopics } from './contracts/contracts.controller.js';
export { Doctor } from './doctor/doctor.controller.js';
export { AskedPartner } from './partner-reading/asked-partner.js';
export { Intake } from './quarantine/intake.js';
export { LoginLinks } from './console/login-links.js';
export { erasureWork } from './jobs/kinds/erase/erasure-work.js';
export { exportWork } from './jobs/kinds/export/export-work.js';
export { FailureGroupRepository } from './groups/list-groups.js';
export { IntentRepository } from './intents/list-intents.js';
export type { IntentFilter, ListPosition } from './intents/list-intents.js';
export type { JobWork } from './jobs/job-runner.js';
export { jobRunner } from './jobs/job-runner.js';
export { openApi } from './contracts/open-api.js';
export { OperationsModule, servedRoutes } from './operations.module.js';
export { ProbeSource } from './probes/probes.controller.js';
export type { ProbeAnswer } from './probes/probes.controller.js';
export { httpProblem, ProblemFilter, problemOf, problemType, sendProblem } from './problems/api-problem.js';
export type { ProblemReply } from './problems/api-problem.js';
export { provisioningWork } from './jobs/kinds/provision/provisioning-work.js';
export { reconciliationWork } from './jobs/kinds/reconcile/reconciliation-work.js';
export { ProgramsControl } from './reload/programs-control.js';
export type { RecordReload, ReloadOutcome } from './reload/programs-control.js';
export { replayWork } from './jobs/kinds/replay/replay-work.js';
export { rereadingWork } from './jobs/kinds/reread/rereading-work.js';
export { scheduleWork } from './jobs/kinds/schedule/schedule-work.js';
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
