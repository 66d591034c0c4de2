import type { IntentEvent } from '#domain';
import type { AttemptReport } from '#gateway';
import type { ClaimedIntent, LaneCompletion } from '#intents';

import type { LaneWork } from './lane-work.js';
import { currentIntent, stateOf } from './lane-work.js';
import type { Observation } from './observation.js';
import type { ProgramDesk } from './program-desk.js';

function retryAtOf(events: readonly IntentEvent[]): number | null {
  const retry = events.find((event) => event.type === 'AttemptNotApplied');
  return retry?.type === 'AttemptNotApplied' ? retry.retryAt : null;
}

/** A lane as it is before what is told of, and after it. */
interface Lanes {
  readonly before: LaneWork;
  readonly after: LaneWork;
}

/** What each observation of an intent says. */
function aboutOf(desk: ProgramDesk, { lane }: LaneWork, intent: ClaimedIntent) {
  const { seq, operation, traceparent } = intent;
  const about = { program: desk.name, memberId: lane.memberId, laneId: lane.laneId, seq, operation };
  return traceparent === undefined ? about : { ...about, traceparent };
}

/** What is to be told about an attempt once its outcome is recorded. */
export function attemptObservation(
  desk: ProgramDesk,
  lanes: Lanes,
  answer: {
    readonly report: AttemptReport<unknown>;
    readonly traceId: string | undefined;
    readonly now: number;
    readonly events: readonly IntentEvent[];
  },
): Observation | null {
  const intent = currentIntent(lanes.before);
  if (intent === undefined) return null;
  const { report, traceId, now, events } = answer;
  const { outcome } = report;
  return {
    kind: 'attempt',
    ...aboutOf(desk, lanes.before, intent),
    attempt: lanes.before.attempt,
    outcome: outcome.kind,
    code: outcome.kind === 'applied' ? 'applied' : outcome.code,
    phase: report.phase,
    httpStatus: report.response?.status ?? null,
    durationMs: report.durationMs,
    sinceBrokerMs: Math.max(0, now - intent.brokerAt),
    status: stateOf(lanes.after, intent.seq).status,
    retryAt: retryAtOf(events),
    shapeAlarms: report.shapeAlarms,
    resolution: resolutionIn(events),
    ...(traceId === undefined ? {} : { traceId }),
  };
}

/** An attempt whose worker was lost: found open by a claim. */
export function lostObservation(desk: ProgramDesk, lanes: Lanes, now: number): Observation | null {
  const { before: work } = lanes;
  const intent = currentIntent(work);
  if (intent === undefined) return null;
  return {
    kind: 'attempt',
    ...aboutOf(desk, work, intent),
    attempt: work.attempt,
    outcome: 'unknown',
    code: 'worker-lost',
    phase: 'lost',
    httpStatus: null,
    durationMs: 0,
    sinceBrokerMs: Math.max(0, now - intent.brokerAt),
    status: stateOf(lanes.after, intent.seq).status,
    retryAt: null,
    shapeAlarms: [],
    resolution: null,
  };
}

/** What a step without an attempt means to those who watch; null when it is nothing. */
export function stepObservation(
  desk: ProgramDesk,
  { before: work, after }: Lanes,
  { completion, now }: { readonly completion: LaneCompletion; readonly now: number },
): Observation | null {
  const intent = currentIntent(work);
  if (intent === undefined) return null;
  const events = completion.events.map(({ event }) => event);
  const about = aboutOf(desk, work, intent);
  const parked = events.find((event) => event.type === 'IntentParked');
  if (parked !== undefined) return { kind: 'parked', ...about, reason: parked.reason };
  const resolution = resolutionIn(events);
  if (resolution === null) return null;
  const sinceBrokerMs = Math.max(0, now - intent.brokerAt);
  const { status } = stateOf(after, intent.seq);
  return { kind: 'resolved', ...about, attempt: work.attempt, resolution, sinceBrokerMs, status };
}

/** How events settle an unknown outcome; null when they do not. */
function resolutionIn(events: readonly IntentEvent[]): string | null {
  for (const event of events) {
    if (event.type === 'VerifiedApplied') return event.evidence;
    if (event.type === 'VerifiedAbsent') return 'absent';
    if (event.type === 'ResendDecided') return `resend-${event.basis}`;
  }
  return null;
}
