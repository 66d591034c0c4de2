import type { LaneFact, RebuiltLane } from '#domain';
import { evolve, initialIntentState, rebuildLane } from '#domain';

import type { LaneRow } from '../history/lane-history.js';
import type { LaneView } from '../lane/lane-view.js';
import { isOver } from '../lane/standing.js';
import type { Finding, Invariant } from './invariant.js';
import { atTheEnd } from './invariant.js';

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
  elsewhere: ['libs/domain/src/lane/lane-cursor.unit.spec.ts', 'test/e2e/rebuild.e2e.spec.ts'],
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
    const standing = intents.get(seq)?.standing;
    const isHolding = seq === current && standing?.park?.lane === 'block';
    return standing !== undefined && (isHolding || !isOver(standing));
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

/** What retention would do half way: what had come to its end behind the head leaves, but for the last enrolment. */
function withoutSettled(facts: readonly LaneFact[]): RebuiltLane {
  const half = facts.slice(0, Math.floor(facts.length / 2));
  const lane = rebuildLane(half);
  const { head, current, redo } = lane.cursor;
  const stays = new Set([0, current, lane.issueSeq, ...redo]);
  const bySeq = Map.groupBy(half, ({ seq }) => seq);
  const left = new Set(
    [...bySeq].filter(([seq, own]) => seq < head && !stays.has(seq) && isAtEnd(own)).map(([seq]) => seq),
  );
  const kept = half.filter(({ seq }) => !left.has(seq));
  const later = facts
    .slice(half.length)
    .map((fact): LaneFact => (left.has(fact.seq) ? { kind: 'late', seq: fact.seq } : fact));
  return rebuildLane(later, { lane, kept });
}

function isAtEnd(facts: readonly LaneFact[]): boolean {
  const state = facts.reduce((before, fact) => {
    if (fact.kind === 'recorded') return evolve(before, { type: 'IntentRecorded', at: fact.at });
    return fact.kind === 'happened' ? evolve(before, fact.event) : before;
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
