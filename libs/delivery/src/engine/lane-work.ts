import type { IntentState, LaneCursor } from '#domain';
import { evolve, settleCurrent } from '#domain';
import type { ClaimedIntent, ClaimedLane, LaneBegin, LaneCompletion, PassKnowledge } from '#intents';

/** A lane in our hands: what the database told us, moved along by what we recorded since. */
export interface LaneWork {
  readonly lane: ClaimedLane;
  readonly cursor: LaneCursor;
  readonly attempt: number;
  readonly attemptOpen: boolean;
  readonly pass: PassKnowledge;
  readonly leaseUntil: number;
  readonly states: ReadonlyMap<number, IntentState>;
}

export function startWork(lane: ClaimedLane): LaneWork {
  return {
    lane,
    cursor: lane.cursor,
    attempt: lane.attempt,
    attemptOpen: lane.attemptOpen,
    pass: lane.pass,
    leaseUntil: lane.leaseUntil,
    states: new Map([...lane.intents].map(([seq, intent]) => [seq, intent.state])),
  };
}

export function currentIntent(work: LaneWork): ClaimedIntent | undefined {
  return work.lane.intents.get(work.cursor.current);
}

export function stateOf(work: LaneWork, seq: number): IntentState {
  return work.states.get(seq) ?? { status: 'absent' };
}

/** The lane as it will be once the completion is recorded. */
export function afterCompletion(work: LaneWork, completion: LaneCompletion): LaneWork {
  const states = new Map(work.states);
  for (const { seq, event } of completion.events) states.set(seq, evolve(stateOf({ ...work, states }, seq), event));
  const isMoved = completion.kind === 'settle';
  return {
    ...work,
    states,
    cursor: isMoved ? settleCurrent(work.cursor) : work.cursor,
    attempt: isMoved ? 0 : work.attempt,
    attemptOpen: false,
    pass: completion.pass ?? work.pass,
  };
}

/** The lane as it is once the attempt is begun. */
export function afterBegin(work: LaneWork, begin: LaneBegin, at: number): LaneWork {
  const states = new Map(work.states);
  states.set(begin.seq, evolve(stateOf(work, begin.seq), { type: 'AttemptBegun', at, attempt: begin.attempt }));
  return { ...work, states, attempt: begin.attempt, attemptOpen: true, leaseUntil: begin.leaseUntil };
}
