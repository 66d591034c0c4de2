export { auditSource } from './audit/audit-feed.js';
export type { PublishedAction } from './audit/audit-feed.js';
export {
  listPositions,
  loadOffsets,
  OffsetBehindError,
  recordBatch,
  recordBatches,
  recordBatchMax,
  startOffset,
} from './batch/record-batch.js';
export type { IngestedPosition, LastRecord, StoredOffset } from './batch/record-batch.js';
export { describeDatabaseFailure, isContentFailure } from './batch/recording.js';
export type {
  BatchResult,
  BatchToRecord,
  IngestKeys,
  PreparedRecord,
  RecordResult,
  RecordVerdict,
  SourcePartition,
} from './batch/recording.js';
export { deferredUntil, resumeLanes, resumeLanesMax } from './coordination/deferred-lanes.js';
export { liftPause, listPauses, pauseByOperator, resumeByOperator, setPause, within } from './coordination/pauses.js';
export type { Pause, PauseTarget } from './coordination/pauses.js';
export { leaveReplica, replicaTtlMs, reportReplica } from './coordination/replicas.js';
export type {
  CoordinationState,
  KnownPrograms,
  OtherReplica,
  ReplicaReport,
  SharedGate,
} from './coordination/replicas.js';
export { releaseQuota, reportCooldown, acquireQuota, readGate } from './coordination/quota-lease.js';
export { eraseByOperator } from './erasure/erase-by-operator.js';
export type { ErasureStep, ErasureTrace } from './erasure/erase-by-operator.js';
export { eraseQuarantined, scanQuarantine } from './erasure/erase-quarantined.js';
export { finishErasures, finishErasuresMax } from './erasure/erasure.js';
export { forgetDigests, forgetUnowned } from './erasure/forget-digests.js';
export { isFinal, takeBound } from './events/final-position.js';
export type { PositionBound } from './events/final-position.js';
export { switchFeed } from './feeds/feed-checkpoint.js';
export { TopicFeed } from './feeds/topic-feed.js';
export type { FeedSource, FeedStep } from './feeds/topic-feed.js';
export { timestamp } from './events/stored-event.js';
export { statusAfter, statusEvents } from './events/transition-sql.js';
export { adoptEnvironment, ForeignDatabaseError, inspectInstallation, openInstallation } from './installation.js';
export type { InstallationKeys, PartnerIdentity } from './installation.js';
export { MemberKeys, openCorrection, openPayload, openWhole, sealPayload } from './keys/member-keys.js';
export type { SealingPlace } from './keys/member-keys.js';
export { rotateKeys, sampleMemberKeys } from './keys/rotate-keys.js';
export type { KeyRotation, SampledKeys } from './keys/rotate-keys.js';
export { claimLanes, nextDueAt, releaseLanes } from './lanes/claim-lanes.js';
export type { ClaimedIntent, ClaimedLane, Lease, PassKnowledge } from './lanes/claimed-lane.js';
export { leaseKey } from './lanes/claimed-lane.js';
export { loadHistory } from './lanes/load-history.js';
export type { ReadHistory } from './lanes/load-history.js';
export { openInLane } from './lanes/locked-lane.js';
export { recordLateOutcomes } from './lanes/record-late-outcomes.js';
export type { LateOutcome } from './lanes/record-late-outcomes.js';
export { recordSteps } from './lanes/record-steps.js';
export type { LaneBegin, LaneCompletion, LaneStep, StepResult } from './lanes/record-steps.js';
export { actAlongside, actOnIntent, replaysWithoutForceMax } from './operator/act-on-intent.js';
export type { ActionResult, Alongside, IntentAction, RefusedAction } from './operator/act-on-intent.js';
export { correctIntent } from './operator/correct-intent.js';
export { loadCommands } from './operator/load-commands.js';
export type { RevisedCommand } from './operator/correct-intent.js';
export { findIntent } from './operator/find-intent.js';
export type { IntentName } from './operator/find-intent.js';
export { holdRunningJob } from './operator/hold-running-job.js';
export { auditAccess, listActions, listActionsAfter, recordAction } from './operator/operator-action.js';
export type { ActingRole, ListedAction, AuditContext } from './operator/operator-action.js';
export { isUnprovenAnswer, settleReread } from './operator/settle-reread.js';
export type { ProvenAnswer } from './operator/settle-reread.js';
export { outcomeSource } from './outcomes/outcome-feed.js';
export { findPassEvidence } from './passes/pass-names.js';
export { intentId, issuedPass, passNameIn } from './outcomes/outcome.js';
export type { Outcome, PassFacts } from './outcomes/outcome.js';
export { adoptPasses, ensureMembers, matchMembers } from './passes/adopt-passes.js';
export type { MatchedMember, PassToAdopt } from './passes/adopt-passes.js';
export { reissuePass } from './passes/reissue-pass.js';
export type { ReissueResult } from './passes/reissue-pass.js';
export { callBucket, callBucketsMax, countCalls, latencyOf } from './processes/call-counts.js';
export type { CallCounts } from './processes/call-counts.js';
export { lagOf, noFigures, partnersOf, resting, sumLag, sumPartner } from './processes/process-figures.js';
export type { PartnerFigures, ProcessFigures, TopicLag } from './processes/process-figures.js';
export { disagreeingSince, leaveProcess, listProcesses, processReportMs, reportProcess } from './processes/process.js';
export type { ListedProcess, ProcessesState, ProcessReport, ProgramsInForce } from './processes/process.js';
export { listProgramsLoads, recordProgramsLoad } from './processes/programs-loads.js';
export type { ProgramsLoad, TakenPrograms } from './processes/programs-loads.js';
export { requestReload } from './processes/request-reload.js';
export type { ReloadedPrograms } from './processes/request-reload.js';
export {
  browseQuarantine,
  countQuarantined,
  findQuarantined,
  firstPlace,
  nextQuarantined,
  tallyQuarantine,
} from './quarantine/browse-quarantine.js';
export type {
  BrowsedRecord,
  QuarantineFilter,
  QuarantinePlace,
  QuarantineReach,
  Settlement,
} from './quarantine/browse-quarantine.js';
export { publishDeadLetters, readQuarantined } from './quarantine/dead-letters.js';
export type { DeadLetter } from './quarantine/dead-letters.js';
export { resubmitBatch } from './quarantine/resubmit-batch.js';
export type { BatchCounts, ResubmitBatchResult, UnpackBatch, UnpackedRecord } from './quarantine/resubmit-batch.js';
export { keptSender } from './quarantine/record-sender.js';
export type { RecordSender } from './quarantine/record-sender.js';
export { readCorrection } from './quarantine/sealed-record.js';
export type { Correction } from './quarantine/sealed-record.js';
export { discardQuarantined, resubmitQuarantined } from './quarantine/settle-quarantined.js';
export type { Resubmission, ResubmitResult, RouteRecord } from './quarantine/settle-quarantined.js';
export { rebuildLanes } from './rebuild/rebuild-lanes.js';
export { beginRecovery, findRecovery, RecoveryRefusedError } from './recovery/recovery.js';
export type { RecoveryStatus, ToldRestore } from './recovery/recovery.js';
export { grantApplication, GrantRefusedError, inspectRole, NotOwnerError } from './roles/application-role.js';
export type { InspectedRole } from './roles/application-role.js';
export { lastMaintenance, maintain, planMaintenance } from './retention/maintain.js';
export type { MaintenanceReport } from './retention/maintain.js';
export { dayMs } from './retention/retention-policy.js';
export type { RetentionPolicy } from './retention/retention-policy.js';
export { recordFingerprint } from './sources/record-fingerprint.js';
export { acceptGap, holdAtGap, listGaps } from './sources/source-gaps.js';
export { countIntents, findTallyLag } from './tallies/count-intents.js';
export type { IntentCount } from './tallies/count-intents.js';
export { addMinuteCalls, floorMinute, minuteMs } from './tallies/minute-calls.js';
export type { MinuteCalls } from './tallies/minute-calls.js';
export { SettledTally } from './tallies/settled-tally.js';
