import type { ProgramPolicy, RunHistory } from '../history/run-history.js';
import type { IntentView, LaneView, Step } from '../lane/lane-view.js';
import { stepsOf } from '../lane/lane-view.js';
import type { Standing } from '../lane/standing.js';
import { isOver, triedSince } from '../lane/standing.js';
import { wayLeft } from '../lane/way-out.js';
import type { Finding, Invariant } from './invariant.js';
import { atTheEnd, whenItHappened } from './invariant.js';

/** However old an intent is, its unknown attempt is looked after for so long beyond `inFlightMs` (design.md section 6). */
const resolvingMsMin = 600_000;

/** I15: when faults stop, every lane is idle or parked, and only the truly undecidable is parked. */
export const comesToRest: Invariant = {
  id: 'I15',
  checks:
    'at rest no lane is due, leased or open, every intent is delivered, cancelled, parked or behind a blocking one; nothing is parked as unknown straight away that could be looked up or sent again',
  cannotSee: 'how long coming to rest took: the run says when it was over; evidence that failed for other reasons',
  elsewhere: ['libs/domain/src/intent/decide-resolution.unit.spec.ts'],
  judge: (run) => ({ lane: (view) => judgeLane(view, run) }),
};

function* judgeLane(view: LaneView, { notes }: RunHistory): Iterable<Finding> {
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
  for (const { row, standing } of view.intents.values()) {
    if (isOver(standing) || (mayBeOpen && isOpen(standing))) continue;
    yield { ...atTheEnd(view, `left ${standing.status}`, [row, lane]), seq: row.seq };
  }
}

function isBlocked({ history: { lane }, intents }: LaneView): boolean {
  return lane.state === 'blocked' && intents.get(lane.current)?.standing.status === 'parked';
}

function isOpen({ status }: Standing): boolean {
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
  const latest = Math.max(
    triedSince(row.recordedAt, before) + policy.retries.maxAgeMs,
    (before.unknownAt ?? 0) + policy.inFlightMs + resolvingMsMin,
  );
  if (event.at > latest) return false;
  if (way === 'resend' || way === 'resend-unique') return before.tries < policy.retries.maxAttempts;
  return way === 'look-up';
}
