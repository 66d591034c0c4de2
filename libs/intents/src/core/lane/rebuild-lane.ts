import { evolve } from '../intent/evolve.js';
import type { IntentEvent } from '../intent/intent-event.js';
import type { IntentState } from '../intent/intent-state.js';
import { initialIntentState, isSettled } from '../intent/intent-state.js';
import type { KnownPass, LaneMove } from '../intent/transitions.js';
import { isOpenAgain, passShownBy, transitionOf } from '../intent/transitions.js';
import type { Operation } from '../operation.js';
import { groupOf } from '../operation.js';
import type { LaneCursor } from './lane-cursor.js';
import { afterTry, isDrained, laneDetoursMax, mayOvertake, requeue, sendFirst, settleCurrent } from './lane-cursor.js';

/** One line of a lane's history, in version order. */
export type LaneFact =
  | {
      readonly kind: 'recorded';
      readonly seq: number;
      readonly operation: Operation;
      readonly at: number;
      /** What an enrolment says of the pass that it has found: it went before all that waited. */
      readonly isRenewal?: true;
    }
  | { readonly kind: 'happened'; readonly seq: number; readonly epoch: number; readonly event: IntentEvent };

/** Where a lane goes on whose oldest facts have left. */
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

interface RebuildState {
  lane: Omit<RebuiltLane, 'attempt'>;
  readonly states: Map<number, IntentState>;
  readonly operations: Map<number, Operation>;
}

const emptyLane: RebuildState['lane'] = {
  cursor: { head: 1, tail: 0, current: 1, redo: [], ahead: [] },
  state: 'live',
  pass: 'unknown',
  version: 0,
  openSince: null,
  issueSeq: null,
  epoch: 0,
};

/**
 * Folds a lane from its stored events (design.md section 4, Rebuild). Settled intents are stepped over at once; the
 * live lane does so at its next claim. Memory grows with the lane's own intents.
 * @param facts in version order, dense from 1, or from behind the start
 */
export function rebuildLane(facts: Iterable<LaneFact>, start: LaneStart | null = null): RebuiltLane {
  const rebuild = open(start ?? { lane: { ...emptyLane, attempt: 0 }, kept: [] });
  for (const fact of facts) {
    if (fact.kind === 'recorded') recordFact(rebuild, fact);
    else takeEvent(rebuild, fact);
    rebuild.lane = { ...rebuild.lane, version: rebuild.lane.version + 1 };
    stepOverSettled(rebuild);
  }
  const current = stateOf(rebuild, rebuild.lane.cursor.current);
  return { ...rebuild.lane, attempt: current.status === 'absent' ? 0 : current.attempts };
}

function open({ lane, kept }: LaneStart): RebuildState {
  const rebuild: RebuildState = { lane, states: new Map(), operations: new Map() };
  for (const fact of kept) remember(rebuild, fact);
  return rebuild;
}

function stateOf({ states }: RebuildState, seq: number): IntentState {
  return states.get(seq) ?? initialIntentState;
}

/** Folds the intent's own state, whatever the event means for the lane. */
function remember(rebuild: RebuildState, fact: LaneFact): void {
  if (fact.kind === 'recorded') {
    rebuild.states.set(fact.seq, evolve(initialIntentState, { type: 'IntentRecorded', at: fact.at }));
    rebuild.operations.set(fact.seq, fact.operation);
  } else rebuild.states.set(fact.seq, evolve(stateOf(rebuild, fact.seq), fact.event));
}

function recordFact(rebuild: RebuildState, fact: Extract<LaneFact, { kind: 'recorded' }>): void {
  const { seq, operation } = fact;
  remember(rebuild, fact);
  rebuild.lane = { ...rebuild.lane, cursor: { ...rebuild.lane.cursor, tail: seq } };
  if (fact.isRenewal === true) renew(rebuild, seq);
  if (groupOf(operation) !== 'issue') return;
  rebuild.lane = { ...rebuild.lane, issueSeq: seq };
  if (rebuild.lane.pass === 'absent' && isWaiting(rebuild)) overtake(rebuild);
}

function renew(rebuild: RebuildState, seq: number): void {
  const { cursor, state, openSince } = rebuild.lane;
  if (cursor.redo.length >= laneDetoursMax) return;
  // A late yes may bring it while another attempt is under way, or the lane is blocked.
  const isHeld = state === 'blocked' || stateOf(rebuild, cursor.current).status === 'delivering';
  const kept = isHeld ? { state, openSince } : { state: 'live' as const, openSince: null };
  rebuild.lane = { ...rebuild.lane, cursor: sendFirst(cursor, seq, isHeld), ...kept };
}

/**
 * True also where the lane is back at a waiting intent: its owner checked again, and a check without news is no event.
 */
function isWaiting(rebuild: RebuildState): boolean {
  return rebuild.lane.state === 'waiting' || stateOf(rebuild, rebuild.lane.cursor.current).status === 'waiting';
}

function takeEvent(rebuild: RebuildState, { seq, epoch, event }: Extract<LaneFact, { kind: 'happened' }>): void {
  const { lane: move, showsLease } = transitionOf(event);
  if (showsLease) fallBack(rebuild, seq);
  rebuild.states.set(seq, evolve(stateOf(rebuild, seq), event));
  const pass = passShownBy(event, rebuild.operations.get(seq) ?? null) ?? rebuild.lane.pass;
  rebuild.lane = { ...rebuild.lane, epoch: Math.max(rebuild.lane.epoch, epoch), pass };
  // An intent that blocks the lane stays the current one, whatever was requeued meanwhile.
  if (move === 'block') rebuild.lane = { ...rebuild.lane, cursor: { ...rebuild.lane.cursor, current: seq } };
  if (seq === rebuild.lane.cursor.current) takeCurrent(rebuild, event);
  else if (isOpenAgain(event)) replay(rebuild, seq);
  if (move === 'wait') overtake(rebuild);
}

function takeCurrent(rebuild: RebuildState, event: IntentEvent): void {
  const { attempt, lane: move } = transitionOf(event);
  const { cursor } = rebuild.lane;
  const begins: LaneChange = attempt === 'begins' ? { openSince: event.at, state: 'live' } : {};
  const ends: LaneChange = attempt === 'ends' ? { openSince: null } : {};
  rebuild.lane = { ...rebuild.lane, ...begins, ...ends, ...(move === undefined ? {} : changes[move]) };
  if (move === 'retry' || move === 'doubt') rebuild.lane = { ...rebuild.lane, cursor: afterTry(cursor) };
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

/** An enrolment behind an intent that waits for the pass goes first. */
function overtake(rebuild: RebuildState): void {
  const { cursor, issueSeq } = rebuild.lane;
  if (issueSeq === null || !mayOvertake(cursor, issueSeq) || isSettled(stateOf(rebuild, issueSeq))) return;
  rebuild.lane = { ...rebuild.lane, cursor: sendFirst(cursor, issueSeq), state: 'live', openSince: null };
}

/**
 * An enrolment does not overtake while the lane is leased: its owner sees it when it records that it goes on waiting.
 * What the owner tells of the waiting intent instead shows that there was a lease when the enrolment came.
 */
function fallBack(rebuild: RebuildState, seq: number): void {
  const { cursor, issueSeq } = rebuild.lane;
  const [first, ...redo] = cursor.redo;
  if (first === undefined || first !== issueSeq || first <= seq) return;
  let without: LaneCursor = { ...cursor, redo, current: redo[0] ?? cursor.head };
  // What waited may have been cancelled meanwhile: the owner is already with the next one.
  while (without.current < seq && isSettled(stateOf(rebuild, without.current))) without = settleCurrent(without);
  if (without.current === seq) rebuild.lane = { ...rebuild.lane, cursor: without, state: 'waiting' };
}

/** An operator requeued an intent that the lane has passed, or has not reached yet. */
function replay(rebuild: RebuildState, seq: number): void {
  const { cursor: before, state } = rebuild.lane;
  const isHeld = state === 'blocked' || stateOf(rebuild, before.current).status === 'delivering';
  const cursor = requeue(before, seq, isHeld);
  rebuild.lane = { ...rebuild.lane, cursor, state: cursor.current === before.current ? state : 'live' };
}

function stepOverSettled(rebuild: RebuildState): void {
  while (!isDrained(rebuild.lane.cursor) && isLeft(rebuild)) {
    rebuild.lane = { ...rebuild.lane, cursor: settleCurrent(rebuild.lane.cursor), state: 'live', openSince: null };
  }
}

/** The lane goes on: delivered, cancelled, or parked where parking does not block. */
function isLeft({ lane, ...rebuild }: RebuildState): boolean {
  const state = rebuild.states.get(lane.cursor.current) ?? initialIntentState;
  return isSettled(state) && lane.state !== 'blocked';
}
