export type {
  BatchResult,
  BatchToRecord,
  OriginalRecord,
  PreparedRecord,
  RecordResult,
  RecordVerdict,
  SourcePartition,
} from './batch/batch-to-record.js';
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
export { listReplicas } from './coordination/list-replicas.js';
export type { ListedReplica } from './coordination/list-replicas.js';
export { listPauses } from './coordination/list-pauses.js';
export type { Pause, PauseTarget } from './coordination/pause.js';
export { putOffMark } from './coordination/put-off.js';
export { recallLanes, recallLanesMax } from './coordination/recall-lanes.js';
export { replicaTtlMs, reportReplica } from './coordination/report-replica.js';
export { setPause } from './coordination/set-pause.js';
export type { SetPauseResult } from './coordination/set-pause.js';
export type { EventToAppend } from './events/stored-event.js';
export { finishErasures, finishErasuresMax } from './erasure/finish-erasures.js';
export { claimCell, ForeignCellError, rememberedCell } from './claim-cell.js';
export type { CellIdentity } from './claim-cell.js';
export { adoptEnvironment, ForeignDatabaseError, inspectInstallation, openInstallation } from './installation.js';
export type { InspectedInstallation, InstallationKeys, PartnerIdentity } from './installation.js';
export { MemberKeys } from './keys/member-keys.js';
export { sampleMemberKeys } from './keys/sample-member-keys.js';
export type { SampledKeys } from './keys/sample-member-keys.js';
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
export type { DeadLetter } from './quarantine/dead-letter.js';
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
export { findMemberStory } from './members/find-member-story.js';
export type { MemberStory } from './members/find-member-story.js';
export { loadTimeline } from './timeline/load-timeline.js';
export type { IntentTimeline, TimelineEvent } from './timeline/load-timeline.js';
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
export { findQuarantined } from './quarantine/find-quarantined.js';
export type { BrowsedRecord, QuarantineFilter } from './quarantine/browse-quarantine.js';
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
export { hasStrayEvents } from './overview/has-stray-events.js';
export { listBlockedLanes } from './overview/list-blocked-lanes.js';
export type { BlockedLane } from './overview/list-blocked-lanes.js';
export { listPositions } from './overview/list-positions.js';
export type { IngestedPosition } from './overview/list-positions.js';
export { listQuarantined } from './overview/list-quarantined.js';
export type { QuarantinedRecord } from './overview/list-quarantined.js';
export { listStandings } from './overview/list-standings.js';
export type { IntentStanding } from './overview/standing.js';
export type { Outcome } from './outcomes/outcome.js';
export { switchOutcomes } from './outcomes/outcome-checkpoint.js';
export { OutcomeFeed, outcomeLeaseMs } from './outcomes/outcome-feed.js';
export type { OutcomeFeedTools, OutcomeStep } from './outcomes/outcome-feed.js';
export { intentId } from './outcomes/to-outcomes.js';
