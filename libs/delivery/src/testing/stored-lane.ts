import type { IntentEvent, IntentState, LaneCursor, Operation } from '#domain';
import { evolve, initialIntentState, isDrained } from '#domain';
import type { PassKnowledge } from '#intents';

export interface StoredIntent {
  readonly seq: number;
  readonly version: number;
  readonly operation: Operation;
  readonly recordedAt: number;
}

export interface StoredEvent {
  readonly seq: number;
  readonly version: number;
  readonly attempt: number;
  readonly epoch: number;
  readonly event: IntentEvent;
}

/** A row of `lane`, with the lane's rows of `intent` and `intent_event`. */
export interface StoredLane {
  readonly laneId: number;
  readonly program: string;
  dueAt: number | null;
  epoch: number;
  revision: number;
  version: number;
  cursor: LaneCursor;
  attempt: number;
  attemptOpen: boolean;
  openSince: number | null;
  issueSeq: number | null;
  pass: PassKnowledge;
  state: 'live' | 'waiting' | 'blocked';
  owner: string | null;
  readonly intents: StoredIntent[];
  readonly events: StoredEvent[];
}

export function newLane(laneId: number, program: string): StoredLane {
  return {
    laneId,
    program,
    dueAt: null,
    epoch: 0,
    revision: 0,
    version: 0,
    cursor: { head: 1, tail: 0, current: 1, redo: [], ahead: [] },
    attempt: 0,
    attemptOpen: false,
    openSince: null,
    issueSeq: null,
    pass: 'unknown',
    state: 'live',
    owner: null,
    intents: [],
    events: [],
  };
}

export function intentOf(lane: StoredLane, seq: number): StoredIntent | undefined {
  return lane.intents[seq - 1];
}

export function eventsOf(lane: StoredLane, seq: number): StoredEvent[] {
  return lane.events.filter((event) => event.seq === seq);
}

/** The intent's state as all its events tell it. */
export function foldedState(lane: StoredLane, seq: number): IntentState {
  const intent = intentOf(lane, seq);
  if (intent === undefined) return initialIntentState;
  return eventsOf(lane, seq).reduce((state, { event }) => evolve(state, event), recordedState(intent));
}

export function recordedState({ recordedAt }: StoredIntent): IntentState {
  return evolve(initialIntentState, { type: 'IntentRecorded', at: recordedAt });
}

/** Nothing is to be done in it without a person or a new record. */
export function isAtRest(lane: StoredLane): boolean {
  return lane.dueAt === null;
}

/** A lane that nobody would ever look at again although it has work. */
export function isStuck(lane: StoredLane): boolean {
  return lane.dueAt === null && lane.state !== 'blocked' && !isDrained(lane.cursor);
}
