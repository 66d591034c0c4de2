import type { AttemptOutcome, AttemptPhase, IntentEvent, Operation } from '#intents/core';
import type { AttemptReport } from '#gateway';
import type { ClaimedIntent, LaneCompletion } from '#intents';

import type { LaneWork } from './lane-work.js';
import { currentIntent, stateOf } from './lane-work.js';

interface Traced {
  /** W3C context that the intent was recorded in. */
  readonly traceparent?: string;
}

/** One attempt, seen to its recorded end: one wide log line and the metrics of contracts.md section 8. */
export interface AttemptObservation extends Traced {
  readonly kind: 'attempt';
  readonly program: string;
  readonly memberId: string;
  readonly laneId: number;
  readonly seq: number;
  readonly attempt: number;
  readonly operation: Operation;
  readonly outcome: AttemptOutcome['kind'];
  readonly code: string;
  readonly phase: AttemptPhase | 'lost';
  readonly httpStatus: number | null;
  readonly durationMs: number;
  /** Broker timestamp to recorded outcome. */
  readonly sinceBrokerMs: number;
  /** Status of the intent after the outcome. */
  readonly status: string;
  readonly retryAt: number | null;
  readonly shapeAlarms: readonly string[];
  /** How this attempt settled what an earlier one had left in doubt; null where it settled nothing. */
  readonly resolution: string | null;
  /** Of the trace that shows the attempt; absent where nothing is traced. */
  readonly traceId?: string;
}

/** An unknown outcome came one step on without an attempt: what was found, or that the intent is sent again. */
interface ResolvedObservation extends Traced {
  readonly kind: 'resolved';
  readonly program: string;
  readonly memberId: string;
  readonly laneId: number;
  readonly seq: number;
  readonly attempt: number;
  readonly operation: Operation;
  /** `pass-found`, `as-wanted`, `points`, `late-outcome`, `absent`, `resend-unique-attribute`, `resend-policy` */
  readonly resolution: string;
  /** Broker timestamp to recorded resolution. */
  readonly sinceBrokerMs: number;
  /** Status of the intent after it. */
  readonly status: string;
}

/** An intent settled without an attempt of its own: parked for a missing pass, for instance. */
export interface ParkObservation extends Traced {
  readonly kind: 'parked';
  readonly program: string;
  readonly memberId: string;
  readonly laneId: number;
  readonly seq: number;
  readonly operation: Operation;
  readonly reason: string;
}

export interface FencedObservation {
  readonly kind: 'fenced';
  readonly program: string;
  readonly laneId: number;
}

/** An operation was paused because the partner refused it for every member. Reported once, by the replica that did it. */
export interface AutoPauseObservation {
  readonly kind: 'auto-paused';
  readonly program: string;
  readonly operation: Operation;
  /** Nothing personal. */
  readonly reason: string;
}

export type Observation =
  AttemptObservation | ParkObservation | ResolvedObservation | FencedObservation | AutoPauseObservation;

function retryAtOf(events: readonly IntentEvent[]): number | null {
  const retry = events.find((event) => event.type === 'AttemptNotApplied');
  return retry?.type === 'AttemptNotApplied' ? retry.retryAt : null;
}

/** A lane before what is reported, and after it. */
interface Lanes {
  readonly before: LaneWork;
  readonly after: LaneWork;
}

/** What each observation of an intent carries. */
function aboutOf(program: string, { lane }: LaneWork, intent: ClaimedIntent) {
  const { seq, operation, traceparent } = intent;
  const about = { program, memberId: lane.memberId, laneId: lane.laneId, seq, operation };
  return traceparent === undefined ? about : { ...about, traceparent };
}

/** What is reported of an attempt once its outcome is recorded. */
export function attemptObservation(
  program: string,
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
    ...aboutOf(program, lanes.before, intent),
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
export function lostObservation(program: string, lanes: Lanes, now: number): Observation | null {
  const { before: work } = lanes;
  const intent = currentIntent(work);
  if (intent === undefined) return null;
  return {
    kind: 'attempt',
    ...aboutOf(program, work, intent),
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

/** What is reported of a step without an attempt; null: nothing. */
export function stepObservation(
  program: string,
  { before: work, after }: Lanes,
  { completion, now }: { readonly completion: LaneCompletion; readonly now: number },
): Observation | null {
  const intent = currentIntent(work);
  if (intent === undefined) return null;
  const events = completion.events.map(({ event }) => event);
  const about = aboutOf(program, work, intent);
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
