export type {
  BatchResult,
  BatchToRecord,
  IngestKeys,
  OriginalRecord,
  PreparedRecord,
  RecordResult,
  RecordVerdict,
  SourcePartition,
} from './batch/batch-to-record.js';
export { describeDatabaseFailure, isContentFailure } from './batch/recording-transaction.js';
export { loadOffsets, OffsetBehindError, startOffset } from './batch/offsets.js';
export type { LastRecord, StoredOffset } from './batch/offsets.js';
export { recordBatch, recordBatchMax } from './batch/record-batch.js';
export type {
  CoordinationState,
  KnownPrograms,
  OtherReplica,
  ReplicaReport,
  SharedGate,
} from './coordination/coordination.js';
export { leaveReplica } from './coordination/leave-replica.js';
export { liftPause } from './coordination/lift-pause.js';
export { listReplicas } from './coordination/list-replicas.js';
export type { ListedReplica } from './coordination/list-replicas.js';
export { listPauses } from './coordination/list-pauses.js';
export type { Pause, PauseTarget } from './coordination/pause.js';
export { putOffMark } from './coordination/put-off.js';
export { recallLanes, recallLanesMax } from './coordination/recall-lanes.js';
export { leaveProgram, tellRest, visitMs, visitProgram } from './coordination/visit-program.js';
export type { ProgramVisit, Reception } from './coordination/visit-program.js';
export { replicaTtlMs, reportReplica } from './coordination/report-replica.js';
export { setPause } from './coordination/set-pause.js';
export type { SetPauseResult } from './coordination/set-pause.js';
export type { EventToAppend } from './events/stored-event.js';
export * from './erasure/index.js';
export * from './exports/index.js';
export { isOfCell, shareOf } from './cells/member-share.js';
export { readCell } from './cells/read-cell.js';
export { claimCell, ForeignCellError, rememberedCell } from './claim-cell.js';
export type { CellIdentity } from './claim-cell.js';
export { adoptEnvironment, ForeignDatabaseError, inspectInstallation, openInstallation } from './installation.js';
export type { InspectedInstallation, InstallationKeys, PartnerIdentity } from './installation.js';
export * from './keys/index.js';
export { claimLanes } from './lanes/claim-lanes.js';
export type { ClaimRequest, ClaimResult } from './lanes/claim-lanes.js';
export { claimIntentsPerLaneMax, claimLanesMax } from './lanes/claim-statement.js';
export type { ClaimedIntent, ClaimedLane, PassKnowledge } from './lanes/claimed-lane.js';
export type { LaneBegin, LaneCompletion, LaneStep, StepKind, StepResult } from './lanes/lane-step.js';
export { recordLateOutcomes } from './lanes/record-late-outcomes.js';
export type { LateOutcome } from './lanes/record-late-outcomes.js';
export { recordSteps, recordStepsMax } from './lanes/record-steps.js';
export type { RecordStepsRequest } from './lanes/record-steps.js';
export { releaseLanes } from './lanes/release-lanes.js';
export { beginProvisioned } from './provisioning/begin-provisioned.js';
export { findProvisioned } from './provisioning/find-provisioned.js';
export { listProvisioned } from './provisioning/list-provisioned.js';
export type { ProvisionedThing, ProvisionEvidence } from './provisioning/provisioned.js';
export { resolveProvisioned } from './provisioning/resolve-provisioned.js';
export { settledThing, settleProvisioned } from './provisioning/settle-provisioned.js';
export type { ProvisionOutcome } from './provisioning/settle-provisioned.js';
export type { DeadLetter, PublishDeadLetters } from './quarantine/dead-letters.js';
export * from './jobs/index.js';
export { countStrayEvents, keepPartitions, partitionPositions, strayEventsMax } from './partitions/keep-partitions.js';
export type { PartitionSizes, PartitionsKept } from './partitions/keep-partitions.js';
export { findArchivedIntent } from './retention/archived-intents.js';
export type { ArchivedIntent } from './retention/archived-intents.js';
export { planRetention, retain } from './retention/retain.js';
export type { RetentionPlan, RetentionTools } from './retention/retain.js';
export { dayMs, RetentionStoppedError } from './retention/retention-run.js';
export type { RetentionPolicy, RetentionReport } from './retention/retention-run.js';
export { adoptPasses } from './passes/adopt-passes.js';
export type { PassesToAdopt, PassToAdopt } from './passes/adopt-passes.js';
export { ensureMembers } from './passes/ensure-members.js';
export { findKnownPasses } from './passes/find-known-passes.js';
export { findLeft } from './passes/find-left.js';
export { matchMembers } from './passes/match-members.js';
export type { EnrolmentStanding, MatchedMember } from './passes/match-members.js';
export { reissuePass, reissuesMax } from './passes/reissue-pass.js';
export { listDoubtfulIntents, settleReread } from './rereading/rereading.js';
export type { DoubtfulIntent, DoubtfulPlace, KeptAnswer, ProvenAnswer } from './rereading/rereading.js';
export type { RefusedReissue, ReissueRequest, ReissueResult } from './passes/reissue-pass.js';
export { clearSeen, findSeenToClear } from './reconciliation/clear-seen.js';
export { listUnseen, unseenMax } from './reconciliation/list-unseen.js';
export type { UnseenMember } from './reconciliation/list-unseen.js';
export { loadSentContents } from './reconciliation/load-sent-contents.js';
export type { SentHistory } from './reconciliation/load-sent-contents.js';
export { noteSeen } from './reconciliation/note-seen.js';
export type { SeenMember } from './reconciliation/note-seen.js';
export { openReconciliation } from './reconciliation/open-reconciliation.js';
export { listIntents } from './listing/list-intents.js';
export type { ListPage, ListRequest } from './listing/list-intents.js';
export type { IntentFilter, ListedIntent, ListPosition } from './listing/listed-intent.js';
export { groupsMax, listGroups } from './groups/list-groups.js';
export type { FailureGroup, GroupKey } from './groups/list-groups.js';
export { createReplay } from './replays/create-replay.js';
export type { CreateReplayResult, NewReplay } from './replays/create-replay.js';
export { leaseReplays, replayLeaseMs } from './replays/lease-replays.js';
export { countReplayItems } from './replays/count-replay-items.js';
export { findReplay } from './replays/find-replay.js';
export { listReplayItems } from './replays/list-replay-items.js';
export type { ReplayItem } from './replays/list-replay-items.js';
export { listReplays } from './replays/list-replays.js';
export { replayItemsMax } from './replays/replay.js';
export type { Forecast, Replay, ReplayCounts, ReplayFilter, ReplayItemState, ReplayState } from './replays/replay.js';
export { replayStep } from './replays/replay-step.js';
export type { ReplayTools } from './replays/replay-step.js';
export { settleResting } from './replays/settle-resting.js';
export { startReplay } from './replays/start-replay.js';
export { steerReplay } from './replays/steer-replay.js';
export type { ReplaySteering } from './replays/steer-replay.js';
export { findMember } from './members/find-member.js';
export { findMemberStory } from './members/find-member-story.js';
export type { MemberStory } from './members/find-member-story.js';
export { loadTimeline } from './timeline/load-timeline.js';
export type { IntentTimeline, TimelineEvent } from './timeline/load-timeline.js';
export { correctIntent } from './operator/correct-intent.js';
export type { CorrectionRequest, CorrectionResult, RevisedCommand } from './operator/correct-intent.js';
export { loadCommands, loadCommandsMax } from './operator/load-commands.js';
export type { CurrentCommand, LoadedCommand } from './operator/load-commands.js';
export { actOnIntent } from './operator/act-on-intent.js';
export { replaysWithoutForceMax } from './operator/count-put-back.js';
export type { ActionRequest, ActionResult, IntentAction, RefusedAction } from './operator/act-on-intent.js';
export { listActions } from './operator/list-actions.js';
export type { ActionQuery, ListedAction } from './operator/list-actions.js';
export { listActionsAfter } from './operator/list-actions-after.js';
export type { ActingRole } from './operator/acting-role.js';
export { leaveTrace } from './operator/leave-trace.js';
export { pauseByOperator, resumeByOperator } from './operator/pause-by-operator.js';
export { findIntent } from './operator/find-intent.js';
export type { IntentName } from './operator/find-intent.js';
export type { OperatorWord } from './operator/record-action.js';
export {
  browseQuarantine,
  countQuarantined,
  findQuarantined,
  firstPlace,
  nextQuarantined,
} from './quarantine/browse-quarantine.js';
export type {
  BrowsedRecord,
  QuarantineFilter,
  QuarantinePlace,
  QuarantineState,
  Settlement,
} from './quarantine/browse-quarantine.js';
export type { Correction } from './quarantine/sealed-record.js';
export { discardQuarantined } from './quarantine/settle-quarantined.js';
export type { DiscardResult } from './quarantine/settle-quarantined.js';
export { readCorrection } from './quarantine/sealed-record.js';
export { resubmitQuarantined } from './quarantine/resubmit-quarantined.js';
export type {
  RecordToRoute,
  Resubmission,
  ResubmitResult,
  RoutedRecord,
  RouteRecord,
} from './quarantine/resubmit-quarantined.js';
export { publishDeadLetters, readQuarantined } from './quarantine/dead-letters.js';
export { acceptGap } from './sources/accept-gap.js';
export type { AcceptedGap, GapAcceptance } from './sources/accept-gap.js';
export { holdAtGap } from './sources/hold-at-gap.js';
export { listGaps } from './sources/list-gaps.js';
export type { OpenGap } from './sources/list-gaps.js';
export { recordFingerprint } from './sources/record-fingerprint.js';
export type { FingerprintedRecord } from './sources/record-fingerprint.js';
export type { SourceGap } from './sources/source-gap.js';
export { disagreeingSince } from './processes/disagreeing-since.js';
export { leaveProcess } from './processes/leave-process.js';
export { listProcesses } from './processes/list-processes.js';
export { processReportMs } from './processes/process.js';
export type { ListedProcess, ProcessReport, ProgramsInForce } from './processes/process.js';
export { reportProcess } from './processes/report-process.js';
export type { ProcessesState } from './processes/report-process.js';
export { requestReload } from './processes/request-reload.js';
export type { ReloadedPrograms } from './processes/request-reload.js';
export { rebuildLanes } from './rebuild/rebuild-lanes.js';
export type { RebuildResult } from './rebuild/rebuild-lanes.js';
export { RebuildRefusedError } from './rebuild/rebuild-refused-error.js';
export { countStandings } from './overview/count-standings.js';
export type { StandingCounts } from './overview/count-standings.js';
export { countWork } from './overview/count-work.js';
export type { WorkCounts } from './overview/count-work.js';
export { listBlockedLanes } from './overview/list-blocked-lanes.js';
export type { BlockedLane } from './overview/list-blocked-lanes.js';
export { listPositions } from './overview/list-positions.js';
export type { IngestedPosition } from './overview/list-positions.js';
export { listQuarantined } from './overview/list-quarantined.js';
export type { QuarantinedRecord } from './overview/list-quarantined.js';
export { listStandings } from './overview/list-standings.js';
export type { IntentStanding } from './overview/standing.js';
export type { PassFacts } from './outcomes/issued-pass.js';
export type { Outcome } from './outcomes/outcome.js';
export { switchOutcomes } from './outcomes/outcome-checkpoint.js';
export { OutcomeFeed, outcomeLeaseMs } from './outcomes/outcome-feed.js';
export type { OutcomeFeedTools, OutcomeStep } from './outcomes/outcome-feed.js';
export { intentId } from './outcomes/to-outcomes.js';
export { countBlockedLanes } from './overview/count-blocked-lanes.js';
export type { BlockedCount } from './overview/count-blocked-lanes.js';
export { countDelivering } from './overview/count-delivering.js';
export type { DeliveringCount } from './overview/count-delivering.js';
export { countIntents } from './overview/count-intents.js';
export type { IntentCount } from './overview/count-intents.js';
export { countQuarantineReasons } from './overview/count-quarantine-reasons.js';
export type { QuarantineReasonCount } from './overview/count-quarantine-reasons.js';
export { findOldestPending } from './overview/find-oldest-pending.js';
export type { OldestPending } from './overview/find-oldest-pending.js';
export * from './overview/find-oldest-unknown.js';
export { findTallyLag } from './overview/find-tally-lag.js';
export { sumValueAtRisk } from './overview/sum-value-at-risk.js';
export type { ValueAtRisk } from './overview/sum-value-at-risk.js';
export { listOpenReplays } from './replays/list-open-replays.js';
export { SettledTally } from './tallies/settled-tally.js';
export * from './recovery/index.js';
