export type {
  BatchResult,
  IngestKeys,
  PreparedRecord,
  RecordResult,
  RecordVerdict,
  SourcePartition,
} from './batch/batch-to-record.js';
export { loadOffsets, OffsetBehindError, startOffset } from './batch/offsets.js';
export type { LastRecord, StoredOffset } from './batch/offsets.js';
export { recordBatch, recordBatchMax } from './batch/record-batch.js';
export { describeDatabaseFailure, isContentFailure } from './batch/recording-transaction.js';
export { isOfCell, shareOf } from './cells/member-share.js';
export { readCell } from './cells/read-cell.js';
export { claimCell, ForeignCellError, rememberedCell } from './claim-cell.js';
export type { CellIdentity } from './claim-cell.js';
export type {
  CoordinationState,
  KnownPrograms,
  OtherReplica,
  ReplicaReport,
  SharedGate,
} from './coordination/coordination.js';
export { leaveReplica } from './coordination/leave-replica.js';
export { liftPause } from './coordination/lift-pause.js';
export { listPauses } from './coordination/list-pauses.js';
export { listReplicas } from './coordination/list-replicas.js';
export type { ListedReplica } from './coordination/list-replicas.js';
export type { Pause, PauseTarget } from './coordination/pause.js';
export { putOffMark } from './coordination/put-off.js';
export { recallLanes, recallLanesMax } from './coordination/recall-lanes.js';
export { replicaTtlMs, reportReplica } from './coordination/report-replica.js';
export { setPause } from './coordination/set-pause.js';
export { leaveProgram, tellRest, visitProgram } from './coordination/visit-program.js';
export * from './erasure/index.js';
export { timestamp } from './events/stored-event.js';
export type { EventToAppend } from './events/stored-event.js';
export * from './exports/index.js';
export { listGroups } from './groups/list-groups.js';
export type { FailureGroup } from './groups/list-groups.js';
export { adoptEnvironment, ForeignDatabaseError, inspectInstallation, openInstallation } from './installation.js';
export type { InspectedInstallation, InstallationKeys, PartnerIdentity } from './installation.js';
export * from './jobs/index.js';
export * from './keys/index.js';
export { claimLanes } from './lanes/claim-lanes.js';
export type { ClaimedIntent, ClaimedLane, PassKnowledge } from './lanes/claimed-lane.js';
export type { LaneBegin, LaneCompletion, LaneStep, StepKind, StepResult } from './lanes/lane-step.js';
export { recordLateOutcomes } from './lanes/record-late-outcomes.js';
export type { LateOutcome } from './lanes/record-late-outcomes.js';
export { recordSteps } from './lanes/record-steps.js';
export { releaseLanes } from './lanes/release-lanes.js';
export { listIntents } from './listing/list-intents.js';
export type { ListPage } from './listing/list-intents.js';
export type { IntentFilter, ListedIntent, ListPosition } from './listing/listed-intent.js';
export { findMemberStory } from './members/find-member-story.js';
export type { MemberStory } from './members/find-member-story.js';
export { findMember } from './members/find-member.js';
export { actOnIntent } from './operator/act-on-intent.js';
export type { IntentAction, RefusedAction } from './operator/act-on-intent.js';
export type { ActingRole } from './operator/acting-role.js';
export { correctIntent } from './operator/correct-intent.js';
export type { RevisedCommand } from './operator/correct-intent.js';
export { replaysWithoutForceMax } from './operator/count-put-back.js';
export { findIntent } from './operator/find-intent.js';
export type { IntentName } from './operator/find-intent.js';
export { leaveTrace } from './operator/leave-trace.js';
export { listActionsAfter } from './operator/list-actions-after.js';
export { listActions } from './operator/list-actions.js';
export type { ListedAction } from './operator/list-actions.js';
export { loadCommands } from './operator/load-commands.js';
export { pauseByOperator, resumeByOperator } from './operator/pause-by-operator.js';
export { recordAction } from './operator/record-action.js';
export type { OperatorWord } from './operator/record-action.js';
export { within } from './operator/within.js';
export type { PassFacts } from './outcomes/issued-pass.js';
export { switchOutcomes } from './outcomes/outcome-checkpoint.js';
export { OutcomeFeed } from './outcomes/outcome-feed.js';
export type { OutcomeStep } from './outcomes/outcome-feed.js';
export type { Outcome } from './outcomes/outcome.js';
export { intentId } from './outcomes/to-outcomes.js';
export { countBlockedLanes } from './overview/count-blocked-lanes.js';
export type { BlockedCount } from './overview/count-blocked-lanes.js';
export { countDelivering } from './overview/count-delivering.js';
export type { DeliveringCount } from './overview/count-delivering.js';
export { countIntents } from './overview/count-intents.js';
export type { IntentCount } from './overview/count-intents.js';
export { countQuarantineReasons } from './overview/count-quarantine-reasons.js';
export type { QuarantineReasonCount } from './overview/count-quarantine-reasons.js';
export { countStandings } from './overview/count-standings.js';
export type { StandingCounts } from './overview/count-standings.js';
export { countWork } from './overview/count-work.js';
export type { WorkCounts } from './overview/count-work.js';
export { findOldestPending } from './overview/find-oldest-pending.js';
export type { OldestPending } from './overview/find-oldest-pending.js';
export * from './overview/find-oldest-unknown.js';
export { findTallyLag } from './overview/find-tally-lag.js';
export { listPositions } from './overview/list-positions.js';
export type { IngestedPosition } from './overview/list-positions.js';
export { listQuarantined } from './overview/list-quarantined.js';
export type { QuarantinedRecord } from './overview/list-quarantined.js';
export { listStandings } from './overview/list-standings.js';
export type { IntentStanding } from './overview/standing.js';
export { sumValueAtRisk } from './overview/sum-value-at-risk.js';
export type { ValueAtRisk } from './overview/sum-value-at-risk.js';
export { countStrayEvents, keepPartitions, partitionPositions, strayEventsMax } from './partitions/keep-partitions.js';
export { adoptPasses } from './passes/adopt-passes.js';
export type { PassToAdopt } from './passes/adopt-passes.js';
export { ensureMembers } from './passes/ensure-members.js';
export { findKnownPasses } from './passes/find-known-passes.js';
export { findLeft } from './passes/find-left.js';
export { matchMembers } from './passes/match-members.js';
export type { MatchedMember } from './passes/match-members.js';
export { reissuePass } from './passes/reissue-pass.js';
export { disagreeingSince } from './processes/disagreeing-since.js';
export { leaveProcess } from './processes/leave-process.js';
export { listProcesses } from './processes/list-processes.js';
export { processReportMs } from './processes/process.js';
export type { ListedProcess, ProcessReport, ProgramsInForce } from './processes/process.js';
export { reportProcess } from './processes/report-process.js';
export type { ProcessesState } from './processes/report-process.js';
export { requestReload } from './processes/request-reload.js';
export type { ReloadedPrograms } from './processes/request-reload.js';
export { beginProvisioned } from './provisioning/begin-provisioned.js';
export { findProvisioned } from './provisioning/find-provisioned.js';
export { listProvisioned } from './provisioning/list-provisioned.js';
export type { ProvisionedThing, ProvisionEvidence } from './provisioning/provisioned.js';
export { resolveProvisioned } from './provisioning/resolve-provisioned.js';
export { settledThing, settleProvisioned } from './provisioning/settle-provisioned.js';
export type { ProvisionOutcome } from './provisioning/settle-provisioned.js';
export {
  browseQuarantine,
  countQuarantined,
  findQuarantined,
  firstPlace,
  nextQuarantined,
} from './quarantine/browse-quarantine.js';
export type { BrowsedRecord, QuarantineFilter, QuarantinePlace, Settlement } from './quarantine/browse-quarantine.js';
export { publishDeadLetters, readQuarantined } from './quarantine/dead-letters.js';
export type { DeadLetter } from './quarantine/dead-letters.js';
export { resubmitQuarantined } from './quarantine/resubmit-quarantined.js';
export type { Resubmission, ResubmitResult, RouteRecord } from './quarantine/resubmit-quarantined.js';
export { readCorrection } from './quarantine/sealed-record.js';
export type { Correction } from './quarantine/sealed-record.js';
export { discardQuarantined } from './quarantine/settle-quarantined.js';
export { rebuildLanes } from './rebuild/rebuild-lanes.js';
export { clearSeen, findSeenToClear } from './reconciliation/clear-seen.js';
export { listUnseen } from './reconciliation/list-unseen.js';
export type { UnseenMember } from './reconciliation/list-unseen.js';
export { loadSentContents } from './reconciliation/load-sent-contents.js';
export type { SentHistory } from './reconciliation/load-sent-contents.js';
export { noteSeen } from './reconciliation/note-seen.js';
export type { SeenMember } from './reconciliation/note-seen.js';
export { openReconciliation } from './reconciliation/open-reconciliation.js';
export * from './recovery/index.js';
export { countReplayItems } from './replays/count-replay-items.js';
export { createReplay } from './replays/create-replay.js';
export type { CreateReplayResult, NewReplay } from './replays/create-replay.js';
export { findReplay } from './replays/find-replay.js';
export { leaseReplays } from './replays/lease-replays.js';
export { listOpenReplays } from './replays/list-open-replays.js';
export { listReplayItems } from './replays/list-replay-items.js';
export type { ReplayItem } from './replays/list-replay-items.js';
export { listReplays } from './replays/list-replays.js';
export { replayStep } from './replays/replay-step.js';
export type { ReplayTools } from './replays/replay-step.js';
export { replayItemsMax } from './replays/replay.js';
export type { Replay, ReplayCounts, ReplayFilter, ReplayState } from './replays/replay.js';
export { settleResting } from './replays/settle-resting.js';
export { startReplay } from './replays/start-replay.js';
export { steerReplay } from './replays/steer-replay.js';
export type { ReplaySteering } from './replays/steer-replay.js';
export { listDoubtfulIntents, settleReread } from './rereading/rereading.js';
export type { DoubtfulIntent, DoubtfulPlace, KeptAnswer, ProvenAnswer } from './rereading/rereading.js';
export { findArchivedIntent } from './retention/archived-intents.js';
export type { ArchivedIntent } from './retention/archived-intents.js';
export { planRetention, retain } from './retention/retain.js';
export { dayMs } from './retention/retention-run.js';
export type { RetentionPolicy, RetentionReport } from './retention/retention-run.js';
export { acceptGap } from './sources/accept-gap.js';
export { holdAtGap } from './sources/hold-at-gap.js';
export { listGaps } from './sources/list-gaps.js';
export { recordFingerprint } from './sources/record-fingerprint.js';
export { SettledTally } from './tallies/settled-tally.js';
export { loadTimeline } from './timeline/load-timeline.js';
export type { IntentTimeline, TimelineEvent } from './timeline/load-timeline.js';
