import type { IntentEvent } from '#domain';
import type { Database, SqlParameter } from '#platform';

import { attemptOf, clearData, timestamp } from '../events/stored-event.js';
import type { EventToAppend } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { findOwnSteps, stepKey } from './find-own-steps.js';
import type { LaneStep, StepResult } from './lane-step.js';
import { recordStepsStatement } from './record-steps-statement.js';

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
  const { attempt, before } = step.begin;
  const event: IntentEvent = { type: 'AttemptBegun', at: now, attempt, ...(before === null ? {} : { before }) };
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
    steps.map((step) => (step.begin === null ? null : timestamp(step.begin.sendBy))),
    steps.map((step) => step.tellsAnswer),
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
      item.evidence === null || step.key === null
        ? null
        : keys.sealFor({ laneId: step.laneId, seq: item.seq, key: step.key }, item.evidence),
    ),
  ];
}

/**
 * Completes and begins attempts of leased lanes, all in one transaction. At most one step per lane and lease.
 * A step whose lane has another epoch, current seq or attempt is fenced: neither completed nor begun, nothing written.
 * @throws {DatabaseError} `unavailable` may mean that the commit's acknowledgement was lost: repeat with `isRetry`.
 */
export async function recordSteps(
  database: Database,
  request: RecordStepsRequest,
  keys: MemberKeys,
): Promise<StepResult[]> {
  const { steps, now, isRetry } = request;
  const done = isRetry ? await findOwnSteps(database, steps) : new Map<string, StepResult>();
  await execute(database, { steps: withoutResult(steps, done), now, done }, keys);
  const fenced = withoutResult(steps, done);
  if (isRetry && fenced.length > 0) {
    // The first call may have been running still, with the rows locked: then it was what fenced this one.
    for (const [key, result] of await findOwnSteps(database, fenced)) done.set(key, result);
  }
  return steps.map((step) => done.get(stepKey(step)) ?? fencedResult(step));
}

function withoutResult(steps: readonly LaneStep[], done: ReadonlyMap<string, StepResult>): LaneStep[] {
  return steps.filter((step) => !done.has(stepKey(step)));
}

async function execute(
  database: Database,
  request: { readonly steps: readonly LaneStep[]; readonly now: number; readonly done: Map<string, StepResult> },
  keys: MemberKeys,
): Promise<void> {
  const { steps, now, done } = request;
  if (steps.length === 0) return;
  const { rows } = await database.execute<StepRow>(recordStepsStatement, [
    ...stepColumns(steps),
    timestamp(now),
    ...eventColumns(
      steps.flatMap((step) => eventLines(step, now)),
      keys,
    ),
  ]);
  for (const { lane_id: laneId, epoch, completed, begun } of rows) {
    done.set(stepKey({ laneId, epoch }), { laneId, epoch, completed, begun });
  }
}
