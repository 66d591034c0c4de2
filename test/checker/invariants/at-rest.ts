import type { LaneFact, RebuiltLane } from '#intents/core';
import { evolve, groupOf, initialIntentState, laneDetoursMax, rebuildLane } from '#intents/core';

import type { LaneRow, ProgramPolicy, RunHistory } from '../history.js';
import type { IntentView, LaneView, Step } from '../lane/lane-view.js';
import { stepsOf } from '../lane/lane-view.js';
import type { IntentState } from '../lane/intent-state.js';
import { isOver, triedSince } from '../lane/intent-state.js';
import { wayLeft } from '../lane/way-out.js';
import type { Finding, Invariant } from './invariant.js';
import { atTheEnd, whenItHappened } from './invariant.js';

/** However old an intent is, its unknown attempt is looked after for so long beyond `inFlightMs` (design.md section 6). */
const resolvingMsMin = 600_000;

/** I15: when faults stop, every lane is idle or parked, and only the truly undecidable is parked. */
export const comesToRest: Invariant = {
  id: 'I15',
  checks:
    'at rest no lane is due, leased or open, every intent is delivered, cancelled, parked or behind a blocking one; no enrolment stands parked that its producer has mended since; nothing is parked as unknown straight away that could be looked up or sent again',
  cannotSee: 'how long coming to rest took: the run says when it was over; evidence that failed for other reasons',
  elsewhere: ['libs/intents/src/core/intent/decide-resolution.unit.spec.ts'],
  judge: (run) => ({ lane: (view) => unrest(view, run) }),
};

function* unrest(view: LaneView, { notes }: RunHistory): Iterable<Finding> {
  for (const intent of view.intents.values()) {
    for (const step of stepsOf(intent, 'IntentParked')) {
      if (isHasty(view.policy, intent, step) && !hasLeft(view, step)) {
        yield whenItHappened(view, step.row, { problem: 'parked as unknown, though it could be found out' });
      }
    }
  }
  if (notes.isAtRest) yield* judgeRest(view);
}

function* judgeRest(view: LaneView): Iterable<Finding> {
  const { lane } = view.history;
  const left = { due: lane.dueAt !== null, leased: lane.owner !== null, open: lane.attemptOpen };
  for (const [what, isLeft] of Object.entries(left)) if (isLeft) yield atTheEnd(view, `still ${what}`);
  const mayBeOpen = isBlocked(view);
  for (const intent of view.intents.values()) {
    const { row, state } = intent;
    if (isMended(intent) && lane.redo.length < laneDetoursMax) {
      yield { ...atTheEnd(view, 'still parked, though it has been mended', [row, lane]), seq: row.seq };
    }
    if (isOver(state) || (mayBeOpen && isOpen(state))) continue;
    yield { ...atTheEnd(view, `left ${state.status}`, [row, lane]), seq: row.seq };
  }
}

/** Nobody would come to replay what a producer has told anew. */
function isMended({ row, state, steps }: IntentView): boolean {
  if (state.status !== 'parked' || groupOf(row.operation) !== 'issue') return false;
  const last = steps.findLast(
    ({ row: { event } }) => event.type === 'IntentParked' || event.type === 'IntentCorrected',
  );
  return last?.row.event.type === 'IntentCorrected' && last.row.event.by === 'source-event';
}

function isBlocked({ history: { lane }, intents }: LaneView): boolean {
  return lane.state === 'blocked' && intents.get(lane.current)?.state.status === 'parked';
}

function isOpen({ status }: IntentState): boolean {
  return status === 'pending' || status === 'waiting';
}

/** The member has opted out: with what was erased, nothing can be looked up or sent. */
function hasLeft({ events, history: { lane } }: LaneView, { row: { seq, version } }: Step): boolean {
  // With nothing queued there was nothing to cancel.
  if (seq <= (lane.erasedSeq ?? 0)) return true;
  return events.some(({ event, version: earlier }) => {
    return earlier < version && event.type === 'IntentCancelled' && event.reason === 'opted-out';
  });
}

/** Parked right after the unknown, with tries and time left, where evidence can be had. */
function isHasty(policy: ProgramPolicy, { row }: IntentView, { row: { event }, before }: Step): boolean {
  if (event.type !== 'IntentParked' || event.reason !== 'unknown-outcome' || before.status !== 'unknown') return false;
  const way = wayLeft(row, policy, before);
  const resolved = Math.max(
    triedSince(row.recordedAt, before) + policy.retries.maxAgeMs,
    (before.unknownAt ?? 0) + policy.inFlightMs + resolvingMsMin,
  );
  // A grant whose time is over is not sent again.
  if (event.at >= Math.min(resolved, row.asks?.goodUntil ?? Infinity)) return false;
  if (way === 'resend' || way === 'resend-unique') return before.tries < policy.retries.maxAttempts;
  return way === 'look-up';
}

/**
 * I16: a lane recreated from its truth is the live one in all but lease, fencing and time. Truth does not tell whether a
 * lane was leased when an enrolment reached it, nor when what others had settled was stepped over: head, redo and ahead
 * may then say the same in other numbers. What would be sent next, and in which order, must be the same.
 */
export const rebuildIsLive: Invariant = {
  id: 'I16',
  checks:
    "each lane at rest equals what the product's own rebuild makes of its truth: state, pass, counters, and what is left to send in its order; and a rebuild from a checkpoint half way, without what was delivered or cancelled by then, is the same",
  cannotSee:
    'lanes in the middle of something; read models; head, redo and ahead where they say the same differently (counted)',
  elsewhere: ['libs/intents/src/core/lane/lane-cursor.unit.spec.ts', 'test/e2e/rebuild.e2e.spec.ts'],
  judge: () => ({ lane }),
};

function* lane(view: LaneView): Iterable<Finding> {
  const { lane: live } = view.history;
  if (live.dueAt !== null || live.owner !== null) return;
  const facts = factsOf(view);
  const whole = rebuildLane(facts);
  const shortened = withoutSettled(facts);
  if (!isSame(shortened, whole)) yield atTheEnd(view, 'a rebuild from a checkpoint is another one', [shortened, whole]);
  const rebuilt = rowOf(whole);
  const differing = differences({ ...rebuilt, left: leftOf(view, rebuilt) }, { ...live, left: leftOf(view, live) });
  const hard = differing.filter((name) => !cursorFields.includes(name));
  if (hard.length > 0) yield atTheEnd(view, `a rebuild differs in ${hard.join(', ')}`, [rebuilt, live]);
  else if (differing.length > 0) yield { bucket: 'rebuild-in-other-numbers', laneId: live.laneId, seq: live.current };
}

const cursorFields: readonly string[] = ['head', 'current', 'redo', 'ahead'];

function differences(expected: object, live: object): string[] {
  const actual = new Map<string, unknown>(Object.entries(live));
  return Object.entries(expected).flatMap(([name, value]) => (isSame(value, actual.get(name)) ? [] : [name]));
}

type Cursor = Pick<LaneRow, 'head' | 'tail' | 'current' | 'redo' | 'ahead'>;

/** What is still to be sent, in the order in which it would be; what holds the lane stands first. */
function leftOf({ intents }: LaneView, { head, tail, current, redo, ahead }: Cursor): number[] {
  const detours = new Set([...redo, ...ahead]);
  const line = Array.from({ length: Math.max(0, tail - head + 1) }, (_, index) => head + index);
  const queue = [...redo, ...line.filter((seq) => !detours.has(seq))];
  return queue.filter((seq) => {
    const state = intents.get(seq)?.state;
    const isHolding = seq === current && state?.park?.lane === 'block';
    return state !== undefined && (isHolding || !isOver(state));
  });
}

function factsOf({ history: { intents, events } }: LaneView): LaneFact[] {
  const recorded = intents.map(({ seq, version, operation, recordedAt }) => {
    const fact: LaneFact = { kind: 'recorded', seq, operation, at: recordedAt };
    return { version, fact };
  });
  const happened = events.map(({ seq, version, epoch, event }) => {
    const fact: LaneFact = { kind: 'happened', seq, epoch, event };
    return { version, fact };
  });
  const facts = [...recorded, ...happened].sort((one, other) => one.version - other.version);
  return facts.map(({ fact }) => fact);
}

/**
 * What maintenance would do half way, to a lane at rest: what had come to its end leaves, but for the last enrolment, and
 * for what something happened to afterwards (what leaves is older than that).
 */
function withoutSettled(facts: readonly LaneFact[]): RebuiltLane {
  const half = facts.slice(0, Math.floor(facts.length / 2));
  const lane = rebuildLane(half);
  const { head, tail, current, redo, ahead } = lane.cursor;
  const isAtRest = head > tail && current > tail && redo.length === 0 && ahead.length === 0 && lane.state === 'live';
  if (!isAtRest) return rebuildLane(facts);
  const later = facts.slice(half.length);
  const stays = new Set([0, lane.issueSeq, ...later.map(({ seq }) => seq)]);
  const bySeq = Map.groupBy(half, ({ seq }) => seq);
  const left = new Set([...bySeq].filter(([seq, own]) => !stays.has(seq) && isAtEnd(own)).map(([seq]) => seq));
  const kept = half.filter(({ seq }) => !left.has(seq));
  return rebuildLane(later, { lane, kept });
}

function isAtEnd(facts: readonly LaneFact[]): boolean {
  const state = facts.reduce((before, fact) => {
    if (fact.kind === 'recorded') return evolve(before, { type: 'IntentRecorded', at: fact.at });
    return evolve(before, fact.event);
  }, initialIntentState);
  return state.status === 'delivered' || state.status === 'cancelled';
}

type Rebuilt = Cursor & Pick<LaneRow, 'state' | 'pass' | 'version' | 'attempt' | 'openSince' | 'issueSeq'>;

function rowOf({ cursor, state, pass, version, attempt, openSince, issueSeq }: RebuiltLane): Rebuilt {
  return { ...cursor, state, pass, version, attempt, openSince, issueSeq };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** I23: everything is bounded; SIGTERM leaves no lease. */
export const nothingLeftOver: Invariant = {
  id: 'I23',
  checks: 'after every daemon was told to stop no lane is leased or open; redo and ahead stay bounded',
  cannotSee: 'memory, connections and queues of processes',
  elsewhere: [
    'test/e2e/drain.e2e.spec.ts',
    'libs/outbox/src/engine/delivery-engine.property.sim.spec.ts',
    'test/bench',
    'test/drill/soak',
  ],
  judge: (run) => ({ lane: (view) => leftovers(view, run) }),
};

function* leftovers(view: LaneView, { notes }: RunHistory): Iterable<Finding> {
  const { owner, attemptOpen, redo, ahead } = view.history.lane;
  if (notes.isStopped && owner !== null) yield atTheEnd(view, 'leased, although every daemon has stopped');
  if (notes.isStopped && attemptOpen) yield atTheEnd(view, 'open, although every daemon has stopped');
  if (redo.length > laneDetoursMax || ahead.length > laneDetoursMax) {
    yield atTheEnd(view, 'redo or ahead has grown beyond its bound');
  }
}

/** I14: stuck lanes and programs do not slow others. A matter of speed, which a history does not show. */
export const othersNotSlowed: Invariant = {
  id: 'I14',
  checks: 'nothing here',
  cannotSee: 'speed',
  elsewhere: [
    'test/bench',
    'libs/outbox/src/engine/scheduled-program.unit.spec.ts',
    'libs/outbox/src/engine/delivery-engine.unit.spec.ts',
  ],
};
