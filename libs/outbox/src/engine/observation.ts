import type { AttemptOutcome, AttemptPhase, HoldTarget, IntentEvent, Operation } from '#intents/core';
import type { AttemptReport } from '#gateway';
import type { ClaimedIntent, LaneCompletion } from '#intents';

import type { LaneWork } from './lane-work.js';
import { currentIntent, stateOf } from './lane-work.js';

/** What the partner said to an attempt. */
export interface AttemptAnswer {
  readonly report: AttemptReport<unknown>;
  /** Of the trace that shows the attempt; absent where nothing is traced. */
  readonly traceId?: string;
}

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

/** Delivery holds calls that the partner fails for all members, or holds them no more. Reported once, by the replica that did it. */
export interface HoldObservation<Kind extends 'auto-paused' | 'auto-resumed'> extends HoldTarget {
  readonly kind: Kind;
  readonly program: string;
  /** Nothing personal. */
  readonly reason: string;
}

export type Observation =
  | AttemptObservation
  | ParkObservation
  | ResolvedObservation
  | FencedObservation
  | HoldObservation<'auto-paused'>
  | HoldObservation<'auto-resumed'>;

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

/** What is reported of a step once it is recorded; null: nothing. @param step `answer`: the partner's, null where there is none */
export function observationOf(
  program: string,
  { before, after }: Lanes,
  step: { readonly completion: LaneCompletion; readonly answer: AttemptAnswer | null; readonly now: number },
): Observation | null {
  const intent = currentIntent(before);
  if (intent === undefined) return null;
  const events = step.completion.events.map(({ event }) => event);
  const about = aboutOf(program, before, intent);
  const { attempt, attemptOpen } = before;
  const sinceBrokerMs = Math.max(0, step.now - intent.brokerAt);
  const { status } = stateOf(after, intent.seq);
  const resolution = resolutionIn(events);
  if (step.answer !== null) {
    return { kind: 'attempt', ...about, attempt, ...shownBy(step.answer, events), sinceBrokerMs, status, resolution };
  }
  if (attemptOpen && events.length > 0) return { kind: 'attempt', ...about, attempt, ...lost, sinceBrokerMs, status };
  const parked = events.find((event) => event.type === 'IntentParked');
  if (parked !== undefined) return { kind: 'parked', ...about, reason: parked.reason };
  return resolution === null ? null : { kind: 'resolved', ...about, attempt, resolution, sinceBrokerMs, status };
}

/** An attempt without an answer: its worker was lost, and a claim has found it open. */
const lost = {
  outcome: 'unknown',
  code: 'worker-lost',
  phase: 'lost',
  httpStatus: null,
  durationMs: 0,
  retryAt: null,
  shapeAlarms: [],
  resolution: null,
} as const;

function shownBy({ report, traceId }: AttemptAnswer, events: readonly IntentEvent[]) {
  const { outcome, phase, response, durationMs, shapeAlarms } = report;
  return {
    outcome: outcome.kind,
    code: outcome.kind === 'applied' ? 'applied' : outcome.code,
    phase,
    httpStatus: response?.status ?? null,
    durationMs,
    retryAt: events.find((event) => event.type === 'AttemptNotApplied')?.retryAt ?? null,
    shapeAlarms,
    ...(traceId === undefined ? {} : { traceId }),
  };
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
