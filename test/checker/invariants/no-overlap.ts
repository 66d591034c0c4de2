import type { EventRow } from '../history/lane-history.js';
import type { Attempt } from '../lane/attempt.js';
import type { LaneView } from '../lane/lane-view.js';
import type { Finding, Invariant } from './invariant.js';
import { whenItHappened } from './invariant.js';

/** I13: a lane has one request at a time, except across a recorded unknown. */
export const noOverlap: Invariant = {
  id: 'I13',
  checks:
    'no attempt is begun while another of the lane is open; requests at the partner do not overlap unless the first was recorded as unknown',
  cannotSee: 'how long requests without an effect lasted at the partner, where nobody noted them',
  elsewhere: ['libs/delivery/src/engine/delivery-engine.property.sim.spec.ts'],
  judge: () => ({ lane }),
};

interface Span {
  readonly attempt: Attempt;
  readonly from: number;
  readonly to: number;
}

const ends: readonly string[] = ['AttemptApplied', 'AttemptRejected', 'AttemptNotApplied', 'AttemptUnknown'];

function* lane(view: LaneView): Iterable<Finding> {
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
