import { groupOf } from '#intents/core';

import type { EventRow, LaneRow } from '../history.js';
import { placeName } from '../lane/place-name.js';
import type { Attempt } from '../lane/attempt.js';
import { isStale } from '../lane/is-stale.js';
import type { IntentView, LaneView, Step } from '../lane/lane-view.js';
import { isLate, stateBefore } from '../lane/lane-view.js';
import type { IntentState } from '../lane/intent-state.js';
import { isOver } from '../lane/intent-state.js';
import type { Accusation, Finding, Invariant } from './invariant.js';
import { atTheEnd, whenItHappened } from './invariant.js';

/**
 * I5: what a lane owes is begun, and first takes effect at the partner, in the order of seq. An intent may be overtaken
 * while it is parked or cancelled (a replay comes later by an operator's word), by an enrolment when something
 * before it waits and the member is known to have no pass, and by what an enrolment says of a pass that it has found.
 */
export const appliedInOrder: Invariant = {
  id: 'I5',
  checks:
    'first begins and first effects per lane in seq order; overtaken only while over, by an enrolment while something waits and there is no pass, or by the update of an enrolment that has found a pass; what stepped aside for a hold and is back goes before what comes later in the lane',
  cannotSee: 'which of two equal effects without a key was first, where both could be either',
  elsewhere: ['libs/intents/src/store/lanes/overtaking.int.spec.ts'],
  judge: () => ({ lane: firstsOutOfOrder }),
};

/** The first time that something of an intent happened, with the begin that it goes back to. */
interface First {
  readonly view: IntentView;
  readonly begin: EventRow;
  /** What the order is by. */
  readonly rank: number;
  readonly isLate: boolean;
}

function* firstsOutOfOrder(view: LaneView): Iterable<Finding> {
  const intents = [...view.intents.values()];
  yield* judgeOrder(view, intents.flatMap(firstBegin), 'begun');
  yield* judgeOrder(
    view,
    intents.flatMap((intent) => firstEffect(view, intent)),
    'applied',
  );
  yield* judgeReturned(view);
}

/** What is held no more takes its place again among what has not been sent; what blocks the lane is tried before it. */
function* judgeReturned(lane: LaneView): Iterable<Finding> {
  const isRenewal = renewals(lane);
  const returned = [...lane.intents.values()].filter(({ steps }) => steps.some(isReturn));
  if (
    returned.length === 0 ||
    lane.events.some(({ event }) => event.type === 'IntentParked' && event.lane === 'block')
  ) {
    return;
  }
  for (const row of lane.events) {
    const later = row.event.type === 'AttemptBegun' ? lane.intents.get(row.seq) : undefined;
    if (later === undefined || groupOf(later.row.operation) === 'issue' || isRenewal(later)) continue;
    const passed = returned.find((intent) => intent.row.seq < row.seq && isBack(intent, row.version));
    if (passed === undefined) continue;
    yield whenItHappened(lane, row, {
      problem: `begun before ${passed.row.seq}, which was held and is back`,
      rows: [row],
    });
  }
}

const isReturn = ({ row: { event } }: Step): boolean =>
  event.type === 'IntentReplayed' && event.by === 'loyaltyd' && event.reason === 'held-no-more';

/** Nothing has happened to it since it came back. */
function isBack({ steps }: IntentView, version: number): boolean {
  const last = steps.findLast((step) => step.row.version < version);
  return last !== undefined && isReturn(last);
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
  const mayGoFirst = { isWaitedFor: waitedFor(lane), isRenewal: renewals(lane) };
  const before: First[] = [];
  let highest = 0;
  for (const first of firsts.toSorted((one, other) => one.rank - other.rank)) {
    const { seq } = first.view.row;
    const overtaker =
      seq > highest
        ? undefined
        : before.find((other) => other.view.row.seq > seq && !isAllowed(other, first, mayGoFirst));
    highest = Math.max(highest, seq);
    before.push(first);
    if (overtaker === undefined) continue;
    const problem = `${what} after ${overtaker.view.row.seq}, which comes later in the lane`;
    if (first.isLate) yield { bucket: 'late-commit', laneId: lane.history.lane.laneId, seq };
    else yield whenItHappened(lane, first.begin, { problem, rows: [overtaker.begin] });
  }
}

interface MayGoFirst {
  readonly isWaitedFor: (view: IntentView) => boolean;
  readonly isRenewal: (view: IntentView) => boolean;
}

function isAllowed(overtaker: First, overtaken: First, { isWaitedFor, isRenewal }: MayGoFirst): boolean {
  if (isOver(stateBefore(overtaken.view, overtaker.begin.version)) || isReplayed(overtaken)) return true;
  if (isRenewal(overtaker.view)) return true;
  return groupOf(overtaker.view.row.operation) === 'issue' && isWaitedFor(overtaker.view);
}

/** Whether it was recorded right when an enrolment of the same record had found a pass. */
function renewals({ intents, events }: LaneView): (view: IntentView) => boolean {
  const found = new Map(events.flatMap((row) => (isFound(row) ? [[row.version + 1, row.seq] as const] : [])));
  return ({ row }) => {
    const of = intents.get(found.get(row.version) ?? 0);
    return of !== undefined && placeName(of.row) === placeName(row) && groupOf(of.row.operation) === 'issue';
  };
}

/** A workflow may answer with a pass that was there. */
function isFound({ event }: EventRow): boolean {
  return event.type === 'AttemptApplied' || (event.type === 'VerifiedApplied' && event.evidence === 'pass-found');
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
    const end = steps.slice(index + 1).find((later) => !goesOnWaiting.has(later.row.event.type));
    return (end?.row.version ?? Infinity) > issue.version;
  });
}

/** An enrolment that is newer in part corrects what waits for it, in the moment in which it is recorded. */
const goesOnWaiting: ReadonlySet<string> = new Set(['PassAbsent', 'IntentCorrected']);

function isWithoutPass({ events }: LaneView, version: number): boolean {
  const told = events.findLast((row) => row.version < version && passNews.has(row.event.type));
  return told?.event.type === 'PassAbsent';
}

/** What was told late does not change what a lane knows: only what was looked up counts. */
const passNews: ReadonlySet<string> = new Set(['PassAbsent', 'PassFound', 'PassAdopted']);

/**
 * I11: the head is the first intent not settled in order, `ahead` and `redo` say exactly what lies off that line. What
 * others settle (a cancel) is stepped over by the next claim: until then the lane is due.
 */
export const lanePosition: Invariant = {
  id: 'I11',
  checks:
    'everything before the head is over or in redo, everything over beyond the head is in ahead or about to be stepped over, everything open can still be reached, the head never goes back',
  cannotSee: 'the order within redo',
  elsewhere: [
    'libs/intents/src/core/lane/lane-cursor.unit.spec.ts',
    'libs/intents/src/store/lanes/lane-functions.int.spec.ts',
  ],
  judge: () => ({ lane: misplaced }),
};

function* misplaced(view: LaneView): Iterable<Finding> {
  const problems = [...problemsOfRow(view), ...problemsOfIntents(view), ...problemsOfSamples(view)];
  for (const problem of problems) yield problem;
}

const rowRules: readonly (readonly [string, (lane: LaneRow) => boolean])[] = [
  ['the head lies outside the lane', ({ head, tail }) => head >= 1 && head <= tail + 1],
  [
    'what is current is neither first in redo nor the head',
    ({ current, redo, head, state, attemptOpen }) => {
      // What blocks the lane, or is under way, ends before what was put back behind it meanwhile.
      const isHeld = (state === 'blocked' || attemptOpen) && (current === head || redo.includes(current));
      return isHeld || current === (redo[0] ?? head);
    },
  ],
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
  const open = view.intents.get(lane.current)?.state.open ?? null;
  if (lane.attemptOpen && open !== lane.attempt) {
    yield atTheEnd(view, 'the lane has an attempt open that was never begun');
  }
}

interface Detours {
  readonly redo: ReadonlySet<number>;
  readonly ahead: ReadonlySet<number>;
}

function problemOfIntent(lane: LaneRow, intent: IntentView, { redo, ahead }: Detours): string | null {
  const { row, state } = intent;
  const { seq } = row;
  const isBehind = !redo.has(seq) && (seq < lane.head || ahead.has(seq));
  if (isBehind && !isOver(state)) return `${state.status}, but the lane has gone on without it`;
  return seq === lane.current ? problemOfCurrent(lane, state) : problemOfOther(state);
}

function problemOfCurrent({ attemptOpen, dueAt }: LaneRow, state: IntentState): string | null {
  if (state.open !== null && !attemptOpen) return 'an attempt is open that the lane does not know of';
  const isPassed = isOver(state) && state.park?.lane !== 'block';
  return isPassed && dueAt === null ? `${state.status}, but the lane stands still at it` : null;
}

function problemOfOther({ open }: IntentState): string | null {
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

/** I13: a lane has one request at a time, except across a recorded unknown. */
export const noOverlap: Invariant = {
  id: 'I13',
  checks:
    'no attempt is begun while another of the lane is open; requests at the partner do not overlap unless the first was recorded as unknown',
  cannotSee: 'how long requests without an effect lasted at the partner, where nobody noted them',
  elsewhere: ['libs/outbox/src/engine/delivery-engine.property.sim.spec.ts'],
  judge: () => ({ lane: overlaps }),
};

interface Span {
  readonly attempt: Attempt;
  readonly from: number;
  readonly to: number;
}

const ends: readonly string[] = ['AttemptApplied', 'AttemptRejected', 'AttemptNotApplied', 'AttemptUnknown'];

function* overlaps(view: LaneView): Iterable<Finding> {
  yield* judgeBegins(view);
  const attempts = [...view.intents.values()].flatMap((intent) => intent.attempts);
  const spans = attempts.flatMap(spansOf).toSorted((one, other) => one.from - other.from);
  let longest: Span | null = null;
  for (const span of spans) {
    if (longest !== null && isMet(longest, span, view.notes.clockToleranceMs)) {
      const rows = [longest.attempt.begin, { from: span.from, to: span.to, before: longest.to }];
      yield whenItHappened(view, span.attempt.begin, { problem: 'arrived while the one before was under way', rows });
    }
    if (longest === null || span.to > longest.to) longest = span;
  }
}

/** Another attempt's request comes before this one is over, and nobody had lost sight of this one. */
function isMet({ attempt, to }: Span, next: Span, toleranceMs: number): boolean {
  return attempt !== next.attempt && attempt.lostAt === null && next.from + toleranceMs < to;
}

function* judgeBegins(view: LaneView): Iterable<Finding> {
  let open: EventRow | null = null;
  for (const row of view.events) {
    const { event } = row;
    if (event.type === 'AttemptBegun') {
      if (open !== null) {
        yield whenItHappened(view, row, { problem: 'begun while another attempt was open', rows: [open] });
      }
      open = row;
    } else if (open !== null && isEndOf(row, open)) {
      open = null;
    }
  }
}

function isEndOf({ seq, event }: EventRow, open: EventRow): boolean {
  if (!('attempt' in event) || !('attempt' in open.event) || !ends.includes(event.type)) return false;
  return seq === open.seq && event.attempt === open.event.attempt;
}

/** When the partner had a request of this attempt in its hands: by its notes, else from arrival to effect. */
function spansOf(attempt: Attempt): Span[] {
  const { requests, effects } = attempt;
  if (requests.length > 0) {
    return requests.map(({ arrivedAt, endedAt }) => ({ attempt, from: arrivedAt, to: endedAt ?? Infinity }));
  }
  return effects.map(({ arrivedAt, appliedAt }) => ({ attempt, from: arrivedAt, to: appliedAt }));
}

/** I26: a cancel or a correction that was granted is never overtaken by a later send. */
export const operatorDecisionsFirst: Invariant = {
  id: 'I26',
  checks: 'nothing is begun after it was cancelled; what is begun after a correction sends what was corrected',
  cannotSee: 'the content of an issue at the partner, where the history does not tell it',
  elsewhere: [
    'libs/intents/src/store/lanes/record-steps.int.spec.ts',
    'libs/intents/src/store/batch/consequences.int.spec.ts',
  ],
  judge: () => ({ lane: sentAsBefore }),
};

function* sentAsBefore(view: LaneView): Iterable<Finding> {
  for (const intent of view.intents.values()) yield* judgeCancel(view, intent);
  for (const effect of view.unexplained.effects) {
    if (!isStale(view, effect)) continue;
    const { laneId } = view.history.lane;
    yield {
      problem: 'sent as it was before its correction',
      at: effect.arrivedAt,
      laneId,
      seq: null,
      attempt: null,
      rows: [effect],
    };
  }
}

function* judgeCancel(view: LaneView, { steps }: IntentView): Iterable<Finding> {
  let cancel: EventRow | null = null;
  for (const { row } of steps) {
    if (row.event.type === 'IntentCancelled') cancel = row;
    else if (row.event.type === 'IntentReplayed' || row.event.type === 'IntentResolved') cancel = null;
    else if (row.event.type === 'AttemptBegun' && cancel !== null) {
      yield whenItHappened(view, row, { problem: 'begun after it was cancelled', rows: [cancel] });
    }
  }
}
