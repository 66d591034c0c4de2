import type { IntentEvent, IntentState, LaneCursor, PassBefore, PassName } from '#intents/core';
import { evolve, holderMoveOf, settleCurrent, transitionOf } from '#intents/core';
import type { ClaimedIntent, ClaimedLane, LaneBegin, LaneCompletion, PassKnowledge } from '#intents';

/** A lane that we hold: as the database returned it, moved along by what we have recorded since. */
export interface LaneWork {
  readonly lane: ClaimedLane;
  readonly cursor: LaneCursor;
  readonly attempt: number;
  readonly attemptOpen: boolean;
  readonly pass: PassKnowledge;
  readonly leaseUntil: number;
  /** What the pass showed just now, for the attempt that comes next; null when it was not asked for. */
  readonly before: PassBefore | null;
  /** The partner was asked for the pass of the current intent, and that is to be sent: it is not asked about twice. */
  readonly isPassAsked: boolean;
  /** What the partner calls the pass; null where it has not shown it. */
  readonly named: PassName | null;
  /** The partner was asked what it calls the pass: where it has not said so, it is not asked again. */
  readonly isNameAsked: boolean;
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

/** Whether an operator has put the current intent back. */
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

type Move = Pick<LaneCompletion, 'kind' | 'dueAt' | 'pass'>;

const settle: Move = { kind: 'settle', dueAt: 0, pass: null };

/** What one event means for the lane. What took effect may show the pass, too: that depends on the operation. */
function moveOf(event: IntentEvent): Move | null {
  const move = holderMoveOf(event);
  return move === null ? null : { ...move, pass: move.kind === 'settle' ? null : (transitionOf(event).pass ?? null) };
}

/**
 * The lane's move that follows from an intent's events: the last that means something decides.
 * @param evidence goes with the first event, sealed
 */
export function completionOf(seq: number, events: readonly IntentEvent[], evidence: string | null): LaneCompletion {
  const move = events.map(moveOf).findLast((candidate) => candidate !== null) ?? { ...settle, kind: 'stay' };
  // Also where the intent is parked for it.
  const isShownAbsent = events.some((event) => transitionOf(event).pass === 'absent');
  return {
    ...move,
    pass: move.pass ?? (isShownAbsent ? 'absent' : null),
    events: events.map((event, index) => ({ seq, event, evidence: index === 0 ? evidence : null })),
  };
}

/** Steps over an intent that is settled already. */
export const stepOver: LaneCompletion = { ...settle, events: [] };

/** Comes back to the same intent later, without an event: nothing has happened to it. */
export function comeBack(kind: 'retry' | 'wait' | 'await', dueAt: number): LaneCompletion {
  return { kind, dueAt, pass: null, events: [] };
}
