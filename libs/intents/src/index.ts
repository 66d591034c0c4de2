export { IntentsModule } from './intents.module.js';
export { auditSource } from './store/audit/audit-feed.js';
export type { PublishedAction } from './store/audit/audit-feed.js';
export { ChunkRepository, recordBatch } from './store/batch/chunk-repository.js';
export type { HandOver, HandOverOffer } from './store/batch/hand-over.js';
export { listPositions, loadOffsets, startOffset } from './store/batch/partition-offsets.js';
export type { IngestedPosition, LastRecord, StoredOffset } from './store/batch/partition-offsets.js';
export {
  describeFailure,
  IngestKeys,
  OffsetBehindError,
  PartRefusedError,
  recordBatchMax,
  recordingWhole,
} from './store/batch/recording.js';
export { NotIngestedError, ReadAgainRepository, TopicAnewError } from './store/batch/read-again.js';
export type { BatchReadAgain, ReadAgainRecord, ReadAgainResult } from './store/batch/read-again.js';
export type { RecordedEvent } from './store/batch/recorded-events.js';
export type {
  BatchResult,
  BatchToRecord,
  PersonsNamed,
  PreparedRecord,
  RecordResult,
  RecordVerdict,
  SourcePartition,
} from './store/batch/recording.js';
export {
  deferredRange,
  deferredUntil,
  notHeldRanges,
  recallLane,
  resumeLanes,
  resumeLanesMax,
} from './store/coordination/deferred-lanes.js';
export type { DeferredLanes } from './store/coordination/deferred-lanes.js';
export { recallHeld, releaseHeld, releaseHeldMax } from './store/coordination/held-intents.js';
export { pausesByPeopleMax, PauseRepository, within } from './store/coordination/pauses.js';
export type { Pause, PauseTarget } from './store/coordination/pauses.js';
export { leaveReplica, replicaTtlMs, reportReplica } from './store/coordination/replicas.js';
export type {
  CoordinationState,
  KnownPrograms,
  OtherReplica,
  ReplicaReport,
  SharedGate,
} from './store/coordination/replicas.js';
export { releaseQuota, reportCooldown, acquireQuota, readGate } from './store/coordination/quota-lease.js';
export { erasedTogetherMax, ErasureRepository } from './store/erasure/erasure-repository.js';
export type { ErasureTrace } from './store/erasure/erasure-facts.js';
export type { ErasureStep } from './store/erasure/erasure-repository.js';
export type { ErasedMember, QuarantineCursor, SealedCursor } from './store/erasure/search-later.js';
export { holdPass } from './store/passes/pass-holders.js';
export { erasedName, SoughtNames } from './store/erasure/erased-names.js';
export { finishErasures, finishErasuresMax } from './store/erasure/erasure.js';
export { forgetDigests, forgetUnowned } from './store/erasure/forget-digests.js';
export { isFinal, takeBound } from './store/events/final-position.js';
export type { PositionBound } from './store/events/final-position.js';
export { switchFeed } from './store/feeds/feed-checkpoint.js';
export { TopicFeed } from './store/feeds/topic-feed.js';
export type { FeedSource, FeedStep } from './store/feeds/topic-feed.js';
export { isOptOut } from './store/events/opt-outs.js';
export { timestamp } from './store/events/stored-event.js';
export { placeKeys } from './store/batch/mapped-places.js';
export type { RecordAt } from './store/batch/mapped-places.js';
export { operationList, statusAfter, statusEvents } from './store/events/transition-sql.js';
export { adoptEnvironment, ForeignDatabaseError, inspectInstallation, openInstallation } from './store/installation.js';
export type { InstallationKeys, PartnerIdentity } from './store/installation.js';
export {
  evidencePlace,
  lastCorrectionOf,
  MemberKeys,
  openCorrection,
  openCurrent,
  openPayload,
  openWhole,
  sealPayload,
  sourceEventText,
} from './store/keys/member-keys.js';
export type { SealingEvent, SealingPlace } from './store/keys/member-keys.js';
export { contextOf } from './store/keys/seal-place.js';
export type { EventPlace, SealPlace } from './store/keys/seal-place.js';
export { rotateKeys, sampleMemberKeys } from './store/keys/rotate-keys.js';
export type { KeyRotation, SampledKeys } from './store/keys/rotate-keys.js';
export { claimLanes, findBegun, nextDueAt, openRecorded, releaseLanes } from './store/lanes/claim-lanes.js';
export type { BeginsWithLease, LaneFloors, RecordedLanes } from './store/lanes/claim-lanes.js';
export type { ClaimedIntent, ClaimedLane, Lease, PassKnowledge } from './store/lanes/claimed-lane.js';
export { leaseKey } from './store/lanes/claimed-lane.js';
export { loadHistories } from './store/lanes/load-history.js';
export type { ReadHistory } from './store/lanes/load-history.js';
export { openInLane } from './store/lanes/locked-lane.js';
export { recordLateOutcomes } from './store/lanes/record-late-outcomes.js';
export type { LateOutcome } from './store/lanes/record-late-outcomes.js';
export { recordSteps } from './store/lanes/record-steps.js';
export type { LaneBegin, LaneCompletion, LaneStep, StepResult } from './store/lanes/record-steps.js';
export {
  IntentActionRepository,
  isUnprovenAnswer,
  replaysWithoutForceMax,
} from './store/operator/intent-action-repository.js';
export type {
  ActionRequest,
  ActionResult,
  Alongside,
  CorrectionResult,
  IntentAction,
  IntentName,
  ProvenAnswer,
  RereadAnswers,
  RefusedAction,
  RevisedCommand,
} from './store/operator/intent-action-repository.js';
export { loadPlanned } from './store/operator/load-planned.js';
export type { LoadedPlan } from './store/operator/load-planned.js';
export type { LoadedCommand } from './store/operator/load-commands.js';
export { loadCommands, loadCommandsMax } from './store/operator/load-commands.js';
export { holdRunningJob } from './store/operator/hold-running-job.js';
export { isOfAbsorbed, isOfWhoLeft } from './store/events/left-members.js';
export { actionsAfterMax, AuditRepository, recordAction } from './store/operator/operator-action.js';
export { lanesOfMember } from './store/lanes/lanes-of-member.js';
export type { ActingRole, ListedAction, AuditContext, RecordedAction } from './store/operator/operator-action.js';
export { outcomeSource } from './store/outcomes/outcome-feed.js';
export { findPassEvidence } from './store/passes/pass-names.js';
export { intentId, issuedPass, passNameIn } from './store/outcomes/outcome.js';
export type { Outcome, PassFacts } from './store/outcomes/outcome.js';
export { adoptPasses, ensureMembers, matchMembers } from './store/passes/adopt-passes.js';
export type { AdoptedPasses, MatchedMember, PassToAdopt } from './store/passes/adopt-passes.js';
export { reissuePass } from './store/passes/reissue-pass.js';
export type { ReissueResult } from './store/passes/reissue-pass.js';
export { callBucket, callBucketsMax, countCalls, latencyOf } from './store/processes/call-counts.js';
export type { CallCounts } from './store/processes/call-counts.js';
export { lagOf, noFigures, partnersOf, resting, sumLag, sumPartner } from './store/processes/process-figures.js';
export type { PartnerFigures, ProcessFigures, TopicLag } from './store/processes/process-figures.js';
export { disagreeingSince, ProcessRepository, processReportMs } from './store/processes/process.js';
export type { ListedProcess, ProcessesState, ProcessReport, ProgramsInForce } from './store/processes/process.js';
export { forgetPasses } from './store/passes/forget-passes.js';
export { findProgramsAtWork } from './store/processes/programs-facts.js';
export { examinePrograms, ProgramsLoadRepository } from './store/processes/programs-loads.js';
export type { ProgramsLoad, ReloadedPrograms, TakenPrograms } from './store/processes/programs-loads.js';
export type { QuarantineCause, QuarantineCauses } from './store/quarantine/quarantine-causes.js';
export { QuarantineCausesRepository } from './store/quarantine/quarantine-causes.js';
export {
  quarantineFilterCondition,
  QuarantineRepository,
  stateBySettlement,
} from './store/quarantine/quarantine-repository.js';
export { numberDigest } from './store/quarantine/record-names.js';
export { passNameDigests } from './store/passes/pass-holders.js';
export { personDigest } from './store/quarantine/person-digests.js';
export type {
  BrowsedRecord,
  QuarantineFilter,
  Settlement,
  SettlementResult,
} from './store/quarantine/quarantine-repository.js';
export { publishDeadLetters } from './store/quarantine/dead-letters.js';
export type { DeadLetter } from './store/quarantine/dead-letters.js';
export { QuarantinedBatches } from './store/quarantine/quarantined-batches.js';
export type {
  BatchCounts,
  ResubmitBatchResult,
  UnpackBatch,
  UnpackedRecord,
} from './store/quarantine/quarantined-batches.js';
export { keptSender } from './store/quarantine/record-sender.js';
export type { RecordSender } from './store/quarantine/record-sender.js';
export type { Correction } from './store/quarantine/sealed-record.js';
export { QuarantineSettlements } from './store/quarantine/quarantine-settlements.js';
export type {
  Resubmission,
  ResubmitRequest,
  ResubmitResult,
  RouteRecord,
} from './store/quarantine/quarantine-settlements.js';
export { rebuildLanes } from './store/rebuild/rebuild-lanes.js';
export {
  fenceText,
  FencedDatabaseError,
  findOwnership,
  giveOwnership,
  holds,
  isFenced,
  leaveOwnership,
  OwnershipRefusedError,
  releaseOwnership,
  requireOwnership,
  takeShard,
} from './store/ownership/ownership.js';
export type { OwnedShard, Ownership } from './store/ownership/ownership.js';
export { beginRecovery, findRecovery, RecoveryRefusedError } from './store/recovery/recovery.js';
export type { RecoveryStatus, GivenRestore } from './store/recovery/recovery.js';
export { grantApplication, GrantRefusedError, inspectRole, NotOwnerError } from './store/roles/application-role.js';
export type { InspectedRole } from './store/roles/application-role.js';
export { lastMaintenance, maintain, planMaintenance } from './store/retention/maintain.js';
export type { MaintenanceReport } from './store/retention/maintain.js';
export { dayMs } from './store/retention/retention-policy.js';
export type { RetentionPolicy } from './store/retention/retention-policy.js';
export { recordFingerprint } from './store/sources/record-fingerprint.js';
export { acceptGap, holdAtGap, listGaps } from './store/sources/source-gaps.js';
export { countIntents, findTallyLag } from './store/tallies/count-intents.js';
export type { IntentCount } from './store/tallies/count-intents.js';
export { addMinuteCalls, floorMinute, minuteMs } from './store/tallies/minute-calls.js';
export type { MinuteCalls } from './store/tallies/minute-calls.js';
export { SettledTally } from './store/tallies/settled-tally.js';
