import type { IntentEventType } from '#intents/core';
import { OPERATIONS } from '#intents/core';

import type { Effect, EventRow, IntentRow, LaneHistory, PartnerRequest, ProgramPolicy, RunNotes } from '../history.js';
import type { Attempt } from './attempt.js';
import { attemptsOf } from './attempt.js';
import { Attribution } from './attribute.js';
import type { IntentState } from './intent-state.js';
import { afterEvent, recorded } from './intent-state.js';

/** An event with how its intent stood before it. */
export interface Step {
  readonly row: EventRow;
  readonly before: IntentState;
}

export interface IntentView {
  readonly row: IntentRow;
  readonly steps: readonly Step[];
  readonly attempts: readonly Attempt[];
  readonly state: IntentState;
}

/** A lane laid out for the invariants: sorted, folded, the partner's effects beside the attempts that made them. */
export interface LaneView {
  readonly history: LaneHistory;
  readonly policy: ProgramPolicy;
  readonly notes: RunNotes;
  /** In the order of seq. */
  readonly intents: ReadonlyMap<number, IntentView>;
  /** In the order of version. */
  readonly events: readonly EventRow[];
  /** What no attempt can have made. */
  readonly unexplained: { readonly effects: readonly Effect[]; readonly requests: readonly PartnerRequest[] };
}

export function laneView(
  history: LaneHistory,
  { policy, notes }: { readonly policy: ProgramPolicy; readonly notes: RunNotes },
): LaneView {
  const events = history.events.toSorted((one, other) => one.version - other.version);
  const bySeq = Map.groupBy(events, ({ seq }) => seq);
  const rows = history.intents.toSorted((one, other) => one.seq - other.seq);
  const intents = new Map(rows.map((row) => [row.seq, intentView(row, bySeq.get(row.seq) ?? [], history)]));
  const attempts = [...intents.values()].flatMap((view) => view.attempts);
  const attribution = new Attribution(attempts, notes.clockToleranceMs);
  const effects = attribution.assign(history.effects.filter(isOurs), (attempt) => attempt.effects);
  const requests = attribution.assign((history.requests ?? []).filter(isCounted), (attempt) => attempt.requests);
  return { history, policy, notes, intents, events, unexplained: { effects, requests } };
}

/** What a schedule does later to a pass is no request of ours. */
function isOurs({ operation }: Effect): boolean {
  return operation !== 'scheduled-change';
}

/** Lookups begin nothing, and a request that is refused for its token is repeated once under the same begin. */
function isCounted({ operation, status }: PartnerRequest): boolean {
  return (OPERATIONS as readonly string[]).includes(operation) && status !== 401;
}

function intentView(row: IntentRow, events: readonly EventRow[], history: LaneHistory): IntentView {
  let state = recorded;
  const steps: Step[] = [];
  for (const event of events) {
    steps.push({ row: event, before: state });
    const isOtherwise = answersWith(history, event, 'isOtherwise');
    state = afterEvent(state, event.event, { isFeigned: isFeigned(history, event), isOtherwise });
  }
  return { row, steps, state, attempts: attemptsOf(row, events) };
}

/** The intent's events of one kind. */
export function stepsOf(view: IntentView, type: IntentEventType): Step[] {
  return view.steps.filter(({ row }) => row.event.type === type);
}

/** How the intent stood right before this version of its lane. */
export function stateBefore(view: IntentView, version: number): IntentState {
  const next = view.steps.find(({ row }) => row.version >= version);
  return next === undefined ? view.state : next.before;
}

/** Whether what was told is an answer by which nobody can know what became of the request. */
export function isFeigned(history: LaneHistory, row: EventRow): boolean {
  return answersWith(history, row, 'isFeigned') || answersWith(history, row, 'isOtherwise');
}

/** Whether what was told is an answer of that kind. */
export function answersWith(
  { requests = [] }: LaneHistory,
  { requestId = null }: EventRow,
  kind: 'isFeigned' | 'isOtherwise' | 'isOfFailed',
): boolean {
  return requestId !== null && requests.some((request) => request.requestId === requestId && request[kind] === true);
}

/** Whether the effect came later than an attempt may still take effect after it was lost sight of. */
export function isLate(view: LaneView, { lostAt }: Pick<Attempt, 'lostAt'>, { appliedAt }: Effect): boolean {
  return lostAt !== null && appliedAt > lostAt + view.policy.inFlightMs + view.notes.clockToleranceMs;
}
