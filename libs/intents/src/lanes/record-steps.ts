import type { Database, SqlParameter } from '#platform';

import { attemptOf, clearData, timestamp } from '../events/stored-event.js';
import type { EventToAppend } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { findOwnSteps, stepKey } from './find-own-steps.js';
import type { LaneStep, StepResult } from './lane-step.js';
import { recordStepsStatement } from './record-steps-statement.js';

/** Lanes in one group commit, at most. */
export const recordStepsMax = 1_000;

export interface RecordStepsRequest {
  readonly steps: readonly LaneStep[];
  readonly now: number;
  /** An earlier call with the same steps failed without an answer: it may have been committed. */
  readonly isRetry: boolean;
}

interface StepRow {
  readonly lane_id: number;
  readonly epoch: number;
  readonly completed: boolean;
  readonly begun: boolean;
}

function fencedResult({ laneId, epoch }: LaneStep): StepResult {
  return { laneId, epoch, completed: false, begun: false };
}

interface EventLine {
  readonly step: LaneStep;
  /** 0 is the begin, 1.. the completion's events in order. */
  readonly ordinal: number;
  readonly item: EventToAppend;
}

function eventLines(step: LaneStep, now: number): EventLine[] {
  const completion = (step.completion?.events ?? []).map((item, index) => ({ step, ordinal: index + 1, item }));
  if (step.begin === null) return completion;
  const event = { type: 'AttemptBegun', at: now, attempt: step.begin.attempt } as const;
  return [...completion, { step, ordinal: 0, item: { seq: step.begin.seq, event, evidence: null } }];
}

function stepColumns(steps: readonly LaneStep[]): SqlParameter[] {
  return [
    steps.map((step) => step.laneId),
    steps.map((step) => step.epoch),
    steps.map((step) => step.seq),
    steps.map((step) => step.attempt),
    steps.map((step) => step.attemptOpen),
    steps.map((step) => step.revision),
    steps.map((step) => step.completion?.kind ?? null),
    steps.map((step) => (step.completion === null ? null : timestamp(step.completion.dueAt))),
    steps.map((step) => step.completion?.pass ?? null),
    steps.map((step) => step.completion?.events.length ?? 0),
    steps.map((step) => step.begin?.seq ?? null),
    steps.map((step) => step.begin?.attempt ?? null),
    steps.map((step) => (step.begin === null ? null : timestamp(step.begin.leaseUntil))),
  ];
}

function eventColumns(lines: readonly EventLine[], keys: MemberKeys): SqlParameter[] {
  return [
    lines.map((line) => line.step.laneId),
    lines.map((line) => line.ordinal),
    lines.map((line) => line.item.seq),
    lines.map((line) => attemptOf(line.item.event)),
    lines.map((line) => line.step.epoch),
    lines.map((line) => line.item.event.type),
    lines.map((line) => timestamp(line.item.event.at)),
    lines.map((line) => clearData(line.item.event)),
    lines.map(({ step, item }) =>
      item.evidence === null ? null : keys.sealFor({ laneId: step.laneId, seq: item.seq }, item.evidence),
    ),
  ];
}

/**
 * Completes and begins attempts of leased lanes, all in one transaction. At most one step per lane.
 * A step whose lane has another epoch, current seq or attempt is fenced: neither completed nor begun, nothing written.
 * @throws {DatabaseError} `unavailable` may mean that the commit's acknowledgement was lost: repeat with `isRetry`.
 */
export async function recordSteps(
  database: Database,
  request: RecordStepsRequest,
  keys: MemberKeys,
): Promise<StepResult[]> {
  const done = request.isRetry ? await findOwnSteps(database, request.steps) : new Map<string, StepResult>();
  const steps = request.steps.filter((step) => !done.has(stepKey(step)));
  if (steps.length === 0) return [...done.values()];
  const lines = steps.flatMap((step) => eventLines(step, request.now));
  const { rows } = await database.execute<StepRow>(recordStepsStatement, [
    ...stepColumns(steps),
    timestamp(request.now),
    ...eventColumns(lines, keys),
  ]);
  for (const { lane_id: laneId, epoch, completed, begun } of rows) {
    done.set(stepKey({ laneId, epoch }), { laneId, epoch, completed, begun });
  }
  return request.steps.map((step) => done.get(stepKey(step)) ?? fencedResult(step));
}
