import { evolve } from '../intent/evolve.js';
import type { IntentEvent } from '../intent/intent-event.js';
import type { IntentState } from '../intent/intent-state.js';
import { initialIntentState, isSettled } from '../intent/intent-state.js';
import type { KnownPass, LaneMove } from '../intent/transitions.js';
import { isOpenAgain, passShownBy, transitionOf } from '../intent/transitions.js';
import type { Operation } from '../operation.js';
import { groupOf } from '../operation.js';
import type { LaneCursor } from './lane-cursor.js';
import { afterTry, isDrained, mayOvertake, putBack, sendFirst, settleCurrent } from './lane-cursor.js';

/** One line of a lane's history, in version order. */
export type LaneFact =
  | { readonly kind: 'recorded'; readonly seq: number; readonly operation: Operation; readonly at: number }
  | { readonly kind: 'happened'; readonly seq: number; readonly epoch: number; readonly event: IntentEvent }
  /** Told of an intent that has left the truth: what it came to is settled. */
  | { readonly kind: 'late'; readonly seq: number };

/** Where a lane goes on whose oldest facts have left the truth. */
export interface LaneStart {
  /** As it stood then. */
  readonly lane: RebuiltLane;
  /** What it had taken in by then and is still there: of intents that have not left. In version order. */
  readonly kept: Iterable<LaneFact>;
}

/** What a lane's row holds besides its lease and its fencing counters. */
export interface RebuiltLane {
  readonly cursor: LaneCursor;
  readonly state: 'live' | 'waiting' | 'blocked';
  readonly pass: KnownPass;
  readonly version: number;
  /** Attempts of the current intent. */
  readonly attempt: number;
  readonly openSince: number | null;
  readonly issueSeq: number | null;
  /** The highest epoch of its history: a rebuilt lane must begin above it. */
  readonly epoch: number;
}

interface Book {
  lane: Omit<RebuiltLane, 'attempt'>;
  readonly states: Map<number, IntentState>;
  readonly operations: Map<number, Operation>;
}

const emptyLane: Book['lane'] = {
  cursor: { head: 1, tail: 0, current: 1, redo: [], ahead: [] },
  state: 'live',
  pass: 'unknown',
  version: 0,
  openSince: null,
  issueSeq: null,
  epoch: 0,
};

/**
 * A lane as its truth tells it (design.md section 4, Rebuild). Intents that are settled are stepped over at once, where
 * the live lane does so at its next claim. Memory grows with the lane's own intents.
 * @param facts in version order, dense from 1, or from behind the start
 */
export function rebuildLane(facts: Iterable<LaneFact>, start: LaneStart | null = null): RebuiltLane {
  const book = open(start ?? { lane: { ...emptyLane, attempt: 0 }, kept: [] });
  for (const fact of facts) {
    if (fact.kind === 'recorded') recordFact(book, fact);
    else if (fact.kind === 'happened') takeEvent(book, fact);
    book.lane = { ...book.lane, version: book.lane.version + 1 };
    stepOverSettled(book);
  }
  const current = stateOf(book, book.lane.cursor.current);
  return { ...book.lane, attempt: current.status === 'absent' ? 0 : current.attempts };
}

function open({ lane, kept }: LaneStart): Book {
  const book: Book = { lane, states: new Map(), operations: new Map() };
  for (const fact of kept) remember(book, fact);
  return book;
}

function stateOf({ states }: Book, seq: number): IntentState {
  return states.get(seq) ?? initialIntentState;
}

/** What an intent has come to, whatever that meant for its lane. */
function remember(book: Book, fact: LaneFact): void {
  if (fact.kind === 'recorded') {
    book.states.set(fact.seq, evolve(initialIntentState, { type: 'IntentRecorded', at: fact.at }));
    book.operations.set(fact.seq, fact.operation);
  } else if (fact.kind === 'happened') book.states.set(fact.seq, evolve(stateOf(book, fact.seq), fact.event));
}

function recordFact(book: Book, fact: Extract<LaneFact, { kind: 'recorded' }>): void {
  const { seq, operation } = fact;
  remember(book, fact);
  book.lane = { ...book.lane, cursor: { ...book.lane.cursor, tail: seq } };
  if (groupOf(operation) !== 'issue') return;
  book.lane = { ...book.lane, issueSeq: seq };
  if (book.lane.pass === 'absent' && isWaiting(book)) overtake(book);
}

/** Also where the lane has come back to what waits: its owner looked again, and learnt nothing that is an event. */
function isWaiting(book: Book): boolean {
  return book.lane.state === 'waiting' || stateOf(book, book.lane.cursor.current).status === 'waiting';
}

function takeEvent(book: Book, { seq, epoch, event }: Extract<LaneFact, { kind: 'happened' }>): void {
  const { lane: move, showsLease } = transitionOf(event);
  if (showsLease) fallBack(book, seq);
  book.states.set(seq, evolve(stateOf(book, seq), event));
  const pass = passShownBy(event, book.operations.get(seq) ?? null) ?? book.lane.pass;
  book.lane = { ...book.lane, epoch: Math.max(book.lane.epoch, epoch), pass };
  // What blocks the lane stays where the lane stands, whatever was put back meanwhile.
  if (move === 'block') book.lane = { ...book.lane, cursor: { ...book.lane.cursor, current: seq } };
  if (seq === book.lane.cursor.current) takeCurrent(book, event);
  else if (isOpenAgain(event)) replay(book, seq);
  if (move === 'wait') overtake(book);
}

function takeCurrent(book: Book, event: IntentEvent): void {
  const { attempt, lane: move } = transitionOf(event);
  const { cursor } = book.lane;
  const begins: LaneChange = attempt === 'begins' ? { openSince: event.at, state: 'live' } : {};
  const ends: LaneChange = attempt === 'ends' ? { openSince: null } : {};
  book.lane = { ...book.lane, ...begins, ...ends, ...(move === undefined ? {} : changes[move]) };
  if (move === 'retry' || move === 'doubt') book.lane = { ...book.lane, cursor: afterTry(cursor) };
}

type LaneChange = Partial<Pick<RebuiltLane, 'state' | 'openSince'>>;

const changes: Readonly<Record<LaneMove, LaneChange>> = {
  // Also what blocked the lane until it was erased.
  settle: { state: 'live', openSince: null },
  retry: {},
  doubt: { state: 'live' },
  wait: { state: 'waiting' },
  await: { state: 'waiting' },
  block: { state: 'blocked', openSince: null },
  stay: {},
  reopen: { state: 'live' },
};

/** An enrolment behind what waits for the pass goes first. */
function overtake(book: Book): void {
  const { cursor, issueSeq } = book.lane;
  if (issueSeq === null || !mayOvertake(cursor, issueSeq) || isSettled(stateOf(book, issueSeq))) return;
  book.lane = { ...book.lane, cursor: sendFirst(cursor, issueSeq), state: 'live', openSince: null };
}

/**
 * An enrolment does not overtake while the lane is leased: its owner sees it when it records that it goes on waiting.
 * What the owner tells of the waiting intent instead shows that there was a lease when the enrolment came.
 */
function fallBack(book: Book, seq: number): void {
  const { cursor, issueSeq } = book.lane;
  const [first, ...redo] = cursor.redo;
  if (first === undefined || first !== issueSeq || first <= seq) return;
  let without: LaneCursor = { ...cursor, redo, current: redo[0] ?? cursor.head };
  // What waited may have been cancelled meanwhile: the owner is already with the next one.
  while (without.current < seq && isSettled(stateOf(book, without.current))) without = settleCurrent(without);
  if (without.current === seq) book.lane = { ...book.lane, cursor: without, state: 'waiting' };
}

/** An operator put back what the lane had left behind, or has still to come to. */
function replay(book: Book, seq: number): void {
  const { cursor: before, state } = book.lane;
  const isHeld = state === 'blocked' || stateOf(book, before.current).status === 'delivering';
  const cursor = putBack(before, seq, isHeld);
  book.lane = { ...book.lane, cursor, state: cursor.current === before.current ? state : 'live' };
}

function stepOverSettled(book: Book): void {
  while (!isDrained(book.lane.cursor) && isLeft(book)) {
    book.lane = { ...book.lane, cursor: settleCurrent(book.lane.cursor), state: 'live', openSince: null };
  }
}

/** The lane goes on: delivered, cancelled, or parked where parking does not block. */
function isLeft({ lane, ...book }: Book): boolean {
  const state = book.states.get(lane.cursor.current) ?? initialIntentState;
  return isSettled(state) && lane.state !== 'blocked';
}
