import type { EventRow, LaneHistory } from '../history/lane-history.js';
import type { HeardAnswer, RunHistory } from '../history/run-history.js';
import type { Attempt } from '../lane/attempt.js';
import type { LaneView } from '../lane/lane-view.js';
import type { Accusation, Finding, Invariant } from './invariant.js';
import { atTheEnd, whenItHappened } from './invariant.js';

/** I12: epochs rise; what belongs to an older one only comes as `LateOutcome`, and does come. */
export const epochsRise: Invariant = {
  id: 'I12',
  checks:
    "epochs never fall along a lane but for LateOutcome; an answer carries its begin's epoch; what a living process heard is recorded, late if need be",
  cannotSee: 'answers that were lost, unless the history tells what processes heard',
  elsewhere: [
    'libs/intents/src/lanes/record-late-outcomes.int.spec.ts',
    'libs/delivery/src/engine/delivery-engine.property.sim.spec.ts',
  ],
  judge: (run) => {
    const answers = Map.groupBy(run.answers ?? [], ({ laneId }) => laneId);
    return { lane: (view) => judgeLane(view, answers.get(view.history.lane.laneId) ?? [], run) };
  },
};

const answered: readonly string[] = ['AttemptApplied', 'AttemptRejected', 'AttemptNotApplied'];

function* judgeLane(view: LaneView, answers: readonly HeardAnswer[], run: RunHistory): Iterable<Finding> {
  yield* judgeRising(view);
  for (const intent of view.intents.values()) {
    for (const attempt of intent.attempts) yield* judgeAttempt(view, attempt);
  }
  const isOver = run.notes.isAtRest || run.notes.isStopped;
  for (const answer of answers) {
    if (!isRecorded(view, answer) && isOver) yield lost(view, answer);
  }
}

function* judgeRising(view: LaneView): Iterable<Finding> {
  let highest: EventRow | null = null;
  for (const row of view.events) {
    if (row.event.type === 'LateOutcome') continue;
    if (highest !== null && row.epoch < highest.epoch) {
      const problem = `${row.event.type} under epoch ${row.epoch} after epoch ${highest.epoch}`;
      yield whenItHappened(view, row, { problem, rows: [highest] });
    }
    highest = higherOf(highest, row);
  }
  if (!isRising(view.history, highest?.epoch ?? 0)) yield atTheEnd(view, "the lane's epoch fell");
}

function higherOf(highest: EventRow | null, row: EventRow): EventRow {
  return highest === null || row.epoch > highest.epoch ? row : highest;
}

function isRising({ lane, samples = [] }: LaneHistory, ofEvents: number): boolean {
  const epochs = [...samples.map(({ epoch }) => epoch), lane.epoch];
  return lane.epoch >= ofEvents && epochs.every((epoch, index) => index === 0 || epoch >= (epochs[index - 1] ?? 0));
}

function* judgeAttempt(view: LaneView, { begin, outcome, late }: Attempt): Iterable<Finding> {
  if (outcome !== null && isAnswer(outcome) && outcome.epoch !== begin.epoch) {
    const problem = `begun under epoch ${begin.epoch}, its answer recorded under ${outcome.epoch}`;
    yield whenItHappened(view, outcome, { problem, rows: [begin] });
  }
  for (const row of late) {
    if (row.epoch !== begin.epoch) {
      yield whenItHappened(view, row, {
        problem: `late under epoch ${row.epoch}, begun under ${begin.epoch}`,
        rows: [begin],
      });
    }
  }
}

/**
 * Whoever takes over a lane tells that its worker was lost, or forgotten by a restore; whatever else is told of an attempt
 * was heard by its own.
 */
const toldByOthers: readonly string[] = ['worker-lost', 'forgotten'];

function isAnswer({ event }: EventRow): boolean {
  return answered.includes(event.type) || (event.type === 'AttemptUnknown' && !toldByOthers.includes(event.code));
}

function isRecorded(view: LaneView, { seq, attempt, epoch }: HeardAnswer): boolean {
  const steps = view.intents.get(seq)?.steps ?? [];
  return steps.some(({ row: { event, epoch: own } }) => {
    const isTelling = answered.includes(event.type) || event.type === 'AttemptUnknown' || event.type === 'LateOutcome';
    return isTelling && 'attempt' in event && event.attempt === attempt && own === epoch;
  });
}

function lost(view: LaneView, answer: HeardAnswer): Accusation {
  const { seq, attempt } = answer;
  return { ...atTheEnd(view, 'an answer that a living process heard was not recorded', [answer]), seq, attempt };
}
