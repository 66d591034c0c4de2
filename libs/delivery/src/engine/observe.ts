import type { AttemptReport } from '#gateway';
import type { LaneCompletion } from '#intents';

import type { LaneWork } from './lane-work.js';
import { currentIntent, stateOf } from './lane-work.js';
import type { Observation } from './observation.js';
import type { ProgramDesk } from './program-desk.js';

/** What is to be told about an attempt once its outcome is recorded. */
export function attemptObservation(
  desk: ProgramDesk,
  lanes: { readonly before: LaneWork; readonly after: LaneWork },
  answer: { readonly report: AttemptReport<unknown>; readonly now: number; readonly retryAt: number | null },
): Observation | null {
  const intent = currentIntent(lanes.before);
  if (intent === undefined) return null;
  const { report, now, retryAt } = answer;
  const { outcome } = report;
  return {
    kind: 'attempt',
    program: desk.name,
    memberId: lanes.before.lane.memberId,
    laneId: lanes.before.lane.laneId,
    seq: intent.seq,
    attempt: lanes.before.attempt,
    operation: intent.operation,
    outcome: outcome.kind,
    code: outcome.kind === 'applied' ? 'applied' : outcome.code,
    phase: report.phase,
    httpStatus: report.response?.status ?? null,
    durationMs: report.durationMs,
    sinceBrokerMs: Math.max(0, now - intent.brokerAt),
    status: stateOf(lanes.after, intent.seq).status,
    retryAt,
    shapeAlarms: report.shapeAlarms,
  };
}

/** An attempt whose worker was lost: found open by a claim. */
export function lostObservation(desk: ProgramDesk, work: LaneWork, now: number): Observation | null {
  const intent = currentIntent(work);
  if (intent === undefined) return null;
  return {
    kind: 'attempt',
    program: desk.name,
    memberId: work.lane.memberId,
    laneId: work.lane.laneId,
    seq: intent.seq,
    attempt: work.attempt,
    operation: intent.operation,
    outcome: 'unknown',
    code: 'worker-lost',
    phase: 'lost',
    httpStatus: null,
    durationMs: 0,
    sinceBrokerMs: Math.max(0, now - intent.brokerAt),
    status: 'parked',
    retryAt: null,
    shapeAlarms: [],
  };
}

/** An intent parked without an attempt; null when the completion parks nothing. */
export function parkObservation(desk: ProgramDesk, work: LaneWork, completion: LaneCompletion): Observation | null {
  const intent = currentIntent(work);
  const parked = completion.events.map(({ event }) => event).find((event) => event.type === 'IntentParked');
  if (intent === undefined || parked === undefined) return null;
  return {
    kind: 'parked',
    program: desk.name,
    memberId: work.lane.memberId,
    laneId: work.lane.laneId,
    seq: intent.seq,
    operation: intent.operation,
    reason: parked.reason,
  };
}
