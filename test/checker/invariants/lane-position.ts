import type { LaneView } from '../lane/lane-view.js';
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

function problemsOfRow(view: LaneView): Accusation[] {
  const { head, tail, current, redo, ahead, attempt, attemptOpen } = view.history.lane;
  const problems = [
    head >= 1 && head <= tail + 1 ? null : 'the head lies outside the lane',
    current === (redo[0] ?? head) ? null : 'what is current is neither first in redo nor the head',
    isRising(ahead) && ahead.every((seq) => seq > head && seq <= tail)
      ? null
      : 'ahead is not a rising list beyond the head',
    new Set(redo).size === redo.length && redo.every((seq) => seq >= 1 && seq <= tail)
      ? null
      : 'redo names an intent twice or none',
    redo.some((seq) => ahead.includes(seq)) ? 'an intent is both in redo and in ahead' : null,
    attemptOpen && attempt === 0 ? 'an attempt is open that has no number' : null,
  ];
  return problems.flatMap((problem) => (problem === null ? [] : [atTheEnd(view, problem)]));
}

function isRising(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));
}

function* problemsOfIntents(view: LaneView): Iterable<Accusation> {
  const { head, redo, ahead, dueAt, current, attemptOpen } = view.history.lane;
  const [isRedo, isAhead] = [new Set(redo), new Set(ahead)];
  for (const { row, standing } of view.intents.values()) {
    const { seq } = row;
    const isAsSettled = !isRedo.has(seq) && (seq < head || isAhead.has(seq));
    const tell = (problem: string): Accusation => ({ ...atTheEnd(view, problem, [view.history.lane, row]), seq });
    if (isAsSettled && !isOver(standing)) yield tell(`${standing.status}, but the lane has gone on without it`);
    const isPassed = isOver(standing) && standing.park?.lane !== 'block' && seq === current;
    if (isPassed && dueAt === null) yield tell(`${standing.status}, but the lane stands still at it`);
    if (standing.open !== null && !(attemptOpen && seq === current))
      yield tell('an attempt is open that the lane does not know of');
  }
  const open = view.intents.get(current)?.standing.open ?? null;
  if (attemptOpen && open !== view.history.lane.attempt)
    yield atTheEnd(view, 'the lane has an attempt open that was never begun');
}

function* problemsOfSamples(view: LaneView): Iterable<Accusation> {
  const { history } = view;
  let before = 0;
  for (const sample of [...(history.samples ?? []), { ...history.lane, takenAt: null }]) {
    if (sample.head < before)
      yield { ...atTheEnd(view, `the head went back from ${before} to ${sample.head}`, [sample]), at: sample.takenAt };
    before = sample.head;
  }
}
