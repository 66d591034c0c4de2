import type { IntentEvent, IntentState, KnownOfPass, LaneCursor } from '#intents/core';
import { evolve, settleCurrent } from '#intents/core';
import type { ClaimedIntent, ClaimedLane, LaneBegin, LaneCompletion } from '#intents';

/** A lane that we hold: as the database returned it, moved along by what we have recorded since. */
export interface LaneWork extends KnownOfPass {
  readonly lane: ClaimedLane;
  readonly cursor: LaneCursor;
  readonly attempt: number;
  readonly attemptOpen: boolean;
  readonly leaseUntil: number;
  /** States that have changed since the claim, by seq. Few: made anew with every step, so that steps can be compared. */
  readonly changed: ReadonlyMap<number, IntentState>;
}

const unchanged: ReadonlyMap<number, IntentState> = new Map();
const absent: IntentState = { status: 'absent' };

export function startWork(lane: ClaimedLane): LaneWork {
  return {
    lane,
    cursor: lane.cursor,
    attempt: lane.attempt,
    attemptOpen: lane.attemptOpen,
    pass: lane.pass,
    leaseUntil: lane.leaseUntil,
    before: null,
    isPassAsked: false,
    named: lane.named ?? null,
    isNameAsked: false,
    changed: unchanged,
  };
}

export function currentIntent(work: LaneWork): ClaimedIntent | undefined {
  return work.lane.intents.get(work.cursor.current);
}

export function stateOf(work: LaneWork, seq: number): IntentState {
  return work.changed.get(seq) ?? work.lane.intents.get(seq)?.state ?? absent;
}

/** Whether an operator has requeued the current intent. */
export function isReplay(work: LaneWork): boolean {
  const state = stateOf(work, work.cursor.current);
  return state.status !== 'absent' && state.isReplay;
}

/** The lane as it will be once the completion is recorded. */
export function afterCompletion(work: LaneWork, completion: LaneCompletion): LaneWork {
  const isMoved = completion.kind === 'settle';
  return {
    ...work,
    changed: afterEvents(work, completion.events),
    cursor: isMoved ? settleCurrent(work.cursor) : work.cursor,
    attempt: isMoved ? 0 : work.attempt,
    attemptOpen: false,
    pass: completion.pass ?? work.pass,
    before: null,
    isPassAsked: work.isPassAsked && !isMoved,
    ...(completion.pass === 'absent' ? { named: null, isNameAsked: false } : {}),
  };
}

function afterEvents(
  work: LaneWork,
  events: readonly { readonly seq: number; readonly event: IntentEvent }[],
): LaneWork['changed'] {
  if (events.length === 0) return work.changed;
  const changed = new Map(work.changed);
  for (const { seq, event } of events) changed.set(seq, evolve(changed.get(seq) ?? stateOf(work, seq), event));
  return changed;
}

/** The lane as it is once the attempt is begun. */
export function afterBegin(work: LaneWork, begin: LaneBegin, at: number): LaneWork {
  const { before, attempt } = begin;
  const event: IntentEvent = { type: 'AttemptBegun', at, attempt, ...(before === null ? {} : { before }) };
  const changed = afterEvents(work, [{ seq: begin.seq, event }]);
  return { ...work, changed, attempt, attemptOpen: true, leaseUntil: begin.leaseUntil, before: null };
}
