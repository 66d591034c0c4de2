import { groupOf } from '#domain';

import type { EventRow } from '../history/lane-history.js';
import type { IntentView, LaneView } from '../lane/lane-view.js';
import { isLate, standingBefore } from '../lane/lane-view.js';
import { isOver } from '../lane/standing.js';
import type { Finding, Invariant } from './invariant.js';
import { whenItHappened } from './invariant.js';

/**
 * I5: what a lane owes is begun, and first takes effect at the partner, in the order of seq. An intent may be overtaken
 * while it is parked or cancelled (a replay comes later by an operator's word), and by an enrolment when something
 * before it waits and the member is known to have no pass.
 */
export const appliedInOrder: Invariant = {
  id: 'I5',
  checks:
    'first begins and first effects per lane in seq order; overtaken only while over, or by an enrolment while something waits and there is no pass',
  cannotSee: 'which of two equal effects without a key was first, where both could be either',
  elsewhere: ['libs/intents/src/lanes/overtaking.int.spec.ts'],
  judge: () => ({ lane }),
};

/** The first time that something of an intent happened, with the begin that it goes back to. */
interface First {
  readonly view: IntentView;
  readonly begin: EventRow;
  /** What the order is by. */
  readonly rank: number;
  readonly isLate: boolean;
}

function* lane(view: LaneView): Iterable<Finding> {
  const intents = [...view.intents.values()];
  yield* judgeOrder(view, intents.flatMap(firstBegin), 'begun');
  yield* judgeOrder(
    view,
    intents.flatMap((intent) => firstEffect(view, intent)),
    'applied',
  );
}

function firstBegin(view: IntentView): First[] {
  const begin = view.attempts[0]?.begin;
  return begin === undefined ? [] : [{ view, begin, rank: begin.version, isLate: false }];
}

function firstEffect(lane: LaneView, view: IntentView): First[] {
  const made = view.attempts.flatMap((attempt) => attempt.effects.map((effect) => ({ attempt, effect })));
  const first = made.toSorted((one, other) => one.effect.seq - other.effect.seq)[0];
  if (first === undefined) return [];
  const { attempt, effect } = first;
  return [{ view, begin: attempt.begin, rank: effect.seq, isLate: isLate(lane, attempt, effect) }];
}

function* judgeOrder(lane: LaneView, firsts: readonly First[], what: 'begun' | 'applied'): Iterable<Finding> {
  const isWaitedFor = waitedFor(lane);
  const before: First[] = [];
  let highest = 0;
  for (const first of firsts.toSorted((one, other) => one.rank - other.rank)) {
    const { seq } = first.view.row;
    const overtaker =
      seq > highest
        ? undefined
        : before.find((other) => other.view.row.seq > seq && !isAllowed(other, first, isWaitedFor));
    highest = Math.max(highest, seq);
    before.push(first);
    if (overtaker === undefined) continue;
    const problem = `${what} after ${overtaker.view.row.seq}, which comes later in the lane`;
    if (first.isLate) yield { bucket: 'late-commit', laneId: lane.history.lane.laneId, seq };
    else yield whenItHappened(lane, first.begin, { problem, rows: [overtaker.begin] });
  }
}

function isAllowed(overtaker: First, overtaken: First, isWaitedFor: (view: IntentView) => boolean): boolean {
  if (isOver(standingBefore(overtaken.view, overtaker.begin.version)) || isReplayed(overtaken)) return true;
  return groupOf(overtaker.view.row.operation) === 'issue' && isWaitedFor(overtaker.view);
}

/** An operator has put it back: behind whatever had been put back before. */
function isReplayed({ view, begin }: First): boolean {
  return view.steps.some(({ row: { event, version } }) => version < begin.version && replays.includes(event.type));
}

const replays: readonly string[] = ['IntentReplayed', 'IntentReissued', 'IntentResolved'];

/** Whether something before that enrolment waited without a pass between its recording and its first begin. */
function waitedFor(lane: LaneView): (view: IntentView) => boolean {
  const known = new Map<number, boolean>();
  return (view) => {
    const { seq } = view.row;
    const answer =
      known.get(seq) ?? [...lane.intents.values()].some((other) => other.row.seq < seq && isWaiting(lane, other, view));
    known.set(seq, answer);
    return answer;
  };
}

function isWaiting(lane: LaneView, { steps }: IntentView, { row: issue, attempts }: IntentView): boolean {
  const begunAt = attempts[0]?.begin.version ?? Infinity;
  return steps.some(({ row }, index) => {
    if (row.event.type !== 'WaitingBegan' || row.version > begunAt) return false;
    if (row.event.for !== 'pass' && !isWithoutPass(lane, row.version)) return false;
    const end = steps.slice(index + 1).find((later) => later.row.event.type !== 'PassAbsent');
    return (end?.row.version ?? Infinity) > issue.version;
  });
}

function isWithoutPass({ events }: LaneView, version: number): boolean {
  const told = events.findLast((row) => row.version < version && passNews.has(row.event.type));
  return told?.event.type === 'PassAbsent';
}

/** What was told late does not change what a lane knows: only what was looked up counts. */
const passNews: ReadonlySet<string> = new Set(['PassAbsent', 'PassFound', 'PassAdopted']);
