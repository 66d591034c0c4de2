export type {
  BatchResult,
  BatchToRecord,
  OriginalRecord,
  PreparedRecord,
  RecordResult,
  RecordVerdict,
  SourcePartition,
} from './batch/batch-to-record.js';
export { describeDatabaseFailure, isContentFailure } from './batch/content-failure.js';
export { loadOffsets, startOffset } from './batch/load-offsets.js';
export type { LastRecord, StoredOffset } from './batch/load-offsets.js';
export { OffsetBehindError } from './batch/offset-behind-error.js';
export { recordBatch, recordBatchMax } from './batch/record-batch.js';
export type { IngestKeys } from './batch/ingest-keys.js';
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
export type { Pause, PauseTarget } from './coordination/pause.js';
export { putOffMark } from './coordination/put-off.js';
export { recallLanes, recallLanesMax } from './coordination/recall-lanes.js';
export { leaveProgram, tellRest, visitMs, visitProgram } from './coordination/visit-program.js';
export type { ProgramVisit, Reception } from './coordination/visit-program.js';
export { replicaTtlMs, reportReplica } from './coordination/report-replica.js';
export { setPause } from './coordination/set-pause.js';
export type { SetPauseResult } from './coordination/set-pause.js';
export type { EventToAppend } from './events/stored-event.js';
export { eraseByOperator } from './erasure/erase-by-operator.js';
export type { ErasureStep, OperatorErasure } from './erasure/erase-by-operator.js';
export { eraseQuarantined } from './erasure/erase-quarantined.js';
export type { ErasureTrace } from './erasure/erasure-trace.js';
export { finishErasures, finishErasuresMax } from './erasure/finish-erasures.js';
export { lookThroughQuarantine } from './erasure/look-through-quarantine.js';
export type { QuarantineLook } from './erasure/look-through-quarantine.js';
export type {
  ExportedEvent,
  ExportedFact,
  ExportedIntent,
  ExportExtent,
  ExportPosition,
} from './exports/exported-fact.js';
export { freezeExport } from './exports/freeze-export.js';
export type { ExportWish, FrozenExport } from './exports/freeze-export.js';
export { exportStart, readExport } from './exports/read-export.js';
export type { ExportLook } from './exports/read-export.js';
export { isOfCell, shareOf } from './cells/member-share.js';
export { readCell } from './cells/read-cell.js';
export { claimCell, ForeignCellError } from './claim-cell.js';
export type { CellIdentity } from './claim-cell.js';
export { adoptEnvironment, ForeignDatabaseError, openInstallation } from './installation.js';
export type { InstallationKeys, PartnerIdentity } from './installation.js';
export { MemberKeys } from './keys/member-keys.js';
export { sealPayload } from './keys/payload.js';
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
export { appendProvisioned } from './provisioning/append-provisioned.js';
export { findProvisioned } from './provisioning/find-provisioned.js';
export { listProvisioned } from './provisioning/list-provisioned.js';
export type { ProvisionedThing, ProvisionEvidence } from './provisioning/provisioned.js';
export { resolveProvisioned } from './provisioning/resolve-provisioned.js';
export { settledThing, settleProvisioned } from './provisioning/settle-provisioned.js';
export type { ProvisionOutcome } from './provisioning/settle-provisioned.js';
export type { DeadLetter } from './quarantine/dead-letter.js';
export { createJob } from './jobs/create-job.js';
export type { NewJob } from './jobs/create-job.js';
export { failJob, jobFailuresMax } from './jobs/fail-job.js';
export { findJob } from './jobs/find-job.js';
export type { Job, JobKindName, JobState } from './jobs/job.js';
export { jobLinesMax } from './jobs/job.js';
export { jobLeaseMs, leaseJobs } from './jobs/lease-jobs.js';
export { listJobLines } from './jobs/list-job-lines.js';
export type { JobLine } from './jobs/list-job-lines.js';
export { listJobs } from './jobs/list-jobs.js';
export { saveJob } from './jobs/save-job.js';
export type { JobFindings, JobSave, JobTurn } from './jobs/save-job.js';
export { steerJob } from './jobs/steer-job.js';
export type { JobSteering } from './jobs/steer-job.js';
export { adoptPasses } from './passes/adopt-passes.js';
export type { PassesToAdopt, PassToAdopt } from './passes/adopt-passes.js';
export { ensureMembers } from './passes/ensure-members.js';
export { findKnownPasses } from './passes/find-known-passes.js';
export { findLeft } from './passes/find-left.js';
export { matchMembers } from './passes/match-members.js';
export type { EnrolmentStanding, MatchedMember } from './passes/match-members.js';
export { reissuePass, reissuesMax } from './passes/reissue-pass.js';
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
export type { ReplayCounts } from './replays/count-replay-items.js';
export { findReplay } from './replays/find-replay.js';
export { listReplayItems } from './replays/list-replay-items.js';
export type { ReplayItem } from './replays/list-replay-items.js';
export { listReplays } from './replays/list-replays.js';
export { replayItemsMax } from './replays/replay.js';
export type { Forecast, Replay, ReplayFilter, ReplayItemState, ReplayState } from './replays/replay.js';
export { replayStep } from './replays/replay-step.js';
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
export type { ActionRequest, ActionResult, IntentAction, RefusedAction } from './operator/act-on-intent.js';
export { listActions } from './operator/list-actions.js';
export type { ActionQuery, ListedAction } from './operator/list-actions.js';
export { leaveTrace } from './operator/leave-trace.js';
export { pauseByOperator, resumeByOperator } from './operator/pause-by-operator.js';
export { findIntent } from './operator/find-intent.js';
export type { IntentName } from './operator/find-intent.js';
export type { OperatorWord } from './operator/record-action.js';
export { browseQuarantine } from './quarantine/browse-quarantine.js';
export type { BrowsedRecord } from './quarantine/browsed-record.js';
export type { Correction } from './quarantine/correction.js';
export { countQuarantined } from './quarantine/count-quarantined.js';
export { discardQuarantined } from './quarantine/discard-quarantined.js';
export type { DiscardResult } from './quarantine/discard-quarantined.js';
export { findQuarantined } from './quarantine/find-quarantined.js';
export { nextQuarantined } from './quarantine/next-quarantined.js';
export type { QuarantineFilter } from './quarantine/quarantine-filter.js';
export { firstPlace } from './quarantine/quarantine-place.js';
export type { QuarantinePlace } from './quarantine/quarantine-place.js';
export { readCorrection } from './quarantine/read-correction.js';
export { resubmitQuarantined } from './quarantine/resubmit-quarantined.js';
export type { ResubmitResult } from './quarantine/resubmit-quarantined.js';
export type { RecordToRoute, RoutedRecord, RouteRecord } from './quarantine/route-record.js';
export type { QuarantineState, Settlement } from './quarantine/settlement.js';
export { readQuarantined } from './quarantine/read-quarantined.js';
export { publishDeadLetters } from './quarantine/publish-dead-letters.js';
export { acceptGap } from './sources/accept-gap.js';
export type { AcceptedGap, GapAcceptance } from './sources/accept-gap.js';
export { holdAtGap } from './sources/hold-at-gap.js';
export { listGaps } from './sources/list-gaps.js';
export type { OpenGap } from './sources/list-gaps.js';
export { recordFingerprint } from './sources/record-fingerprint.js';
export type { FingerprintedRecord } from './sources/record-fingerprint.js';
export type { SourceGap } from './sources/source-gap.js';
export type { PublishDeadLetters } from './quarantine/publish-dead-letters.js';
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
