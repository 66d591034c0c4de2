import type { LaneRow } from '../history/lane-history.js';
import type { IntentView, LaneView } from '../lane/lane-view.js';
import type { Standing } from '../lane/standing.js';
import { isOver } from '../lane/standing.js';
import type { Accusation, Finding, Invariant } from './invariant.js';
import { atTheEnd } from './invariant.js';

/**
 * I11: the head is the first intent not settled in order, `ahead` and `redo` say exactly what lies off that line. What
 * others settle (a cancel) is stepped over by the next claim: until then the lane is due.
 */
export const lanePosition: Invariant = {
  id: 'I11',
  checks:
    'everything before the head is over or in redo, everything over beyond the head is in ahead or about to be stepped over, everything open can still be reached, the head never goes back',
  cannotSee: 'the order within redo',
  elsewhere: ['libs/domain/src/lane/lane-cursor.unit.spec.ts', 'libs/intents/src/lanes/lane-functions.int.spec.ts'],
  judge: () => ({ lane }),
};

function* lane(view: LaneView): Iterable<Finding> {
  const problems = [...problemsOfRow(view), ...problemsOfIntents(view), ...problemsOfSamples(view)];
  for (const problem of problems) yield problem;
}

const rowRules: readonly (readonly [string, (lane: LaneRow) => boolean])[] = [
  ['the head lies outside the lane', ({ head, tail }) => head >= 1 && head <= tail + 1],
  ['what is current is neither first in redo nor the head', ({ current, redo, head }) => current === (redo[0] ?? head)],
  [
    'ahead is not a rising list beyond the head',
    ({ ahead, head, tail }) => isRising([head, ...ahead]) && ahead.every((seq) => seq <= tail),
  ],
  ['redo names an intent twice or none', ({ redo, tail }) => areIntents(redo, tail)],
  ['an intent is both in redo and in ahead', ({ redo, ahead }) => !redo.some((seq) => ahead.includes(seq))],
  ['an attempt is open that has no number', ({ attempt, attemptOpen }) => !attemptOpen || attempt > 0],
];

function problemsOfRow(view: LaneView): Accusation[] {
  const broken = rowRules.filter(([, holds]) => !holds(view.history.lane));
  return broken.map(([problem]) => atTheEnd(view, problem));
}

function isRising(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));
}

function areIntents(seqs: readonly number[], tail: number): boolean {
  return new Set(seqs).size === seqs.length && seqs.every((seq) => seq >= 1 && seq <= tail);
}

function* problemsOfIntents(view: LaneView): Iterable<Accusation> {
  const { lane } = view.history;
  const detours = { redo: new Set(lane.redo), ahead: new Set(lane.ahead) };
  for (const intent of view.intents.values()) {
    const problem = problemOfIntent(lane, intent, detours);
    const { seq } = intent.row;
    if (problem !== null) yield { ...atTheEnd(view, problem, [lane, intent.row]), seq };
  }
  const open = view.intents.get(lane.current)?.standing.open ?? null;
  if (lane.attemptOpen && open !== lane.attempt) {
    yield atTheEnd(view, 'the lane has an attempt open that was never begun');
  }
}

interface Detours {
  readonly redo: ReadonlySet<number>;
  readonly ahead: ReadonlySet<number>;
}

function problemOfIntent(lane: LaneRow, intent: IntentView, { redo, ahead }: Detours): string | null {
  const { row, standing } = intent;
  const { seq } = row;
  const isBehind = !redo.has(seq) && (seq < lane.head || ahead.has(seq));
  if (isBehind && !isOver(standing)) return `${standing.status}, but the lane has gone on without it`;
  return seq === lane.current ? problemOfCurrent(lane, standing) : problemOfOther(standing);
}

function problemOfCurrent({ attemptOpen, dueAt }: LaneRow, standing: Standing): string | null {
  if (standing.open !== null && !attemptOpen) return 'an attempt is open that the lane does not know of';
  const isPassed = isOver(standing) && standing.park?.lane !== 'block';
  return isPassed && dueAt === null ? `${standing.status}, but the lane stands still at it` : null;
}

function problemOfOther({ open }: Standing): string | null {
  return open === null ? null : 'an attempt is open that the lane does not know of';
}

function* problemsOfSamples(view: LaneView): Iterable<Accusation> {
  const { history } = view;
  let before = 0;
  for (const sample of [...(history.samples ?? []), { ...history.lane, takenAt: null }]) {
    if (sample.head < before) {
      yield { ...atTheEnd(view, `the head went back from ${before} to ${sample.head}`, [sample]), at: sample.takenAt };
    }
    before = sample.head;
  }
}
