import type { EventRow, RunHistory } from '../history.js';
import type { LaneView } from '../lane/lane-view.js';

/** The invariants of design.md section 9. */
export type InvariantId = `I${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}` | `I1${Digit}` | `I2${Exclude<Digit, 7 | 8 | 9>}`;

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** An invariant that a history breaks, with what shows it. */
export interface Violation {
  readonly invariant: InvariantId;
  /** One sentence, no personal values. */
  readonly problem: string;
  /** When it was broken; null: it is the state in the end that is wrong. */
  readonly at: number | null;
  readonly laneId: number | null;
  readonly seq: number | null;
  readonly attempt: number | null;
  /** The rows that show it. */
  readonly rows: readonly unknown[];
}

/** What lies outside the promise: counted, never hidden, never a violation. */
export type ExposureBucket =
  /** An effect that came later than `inFlightMs` after its attempt was lost sight of. */
  | 'late-commit'
  /** The partner took a value or a member twice that it is configured to take once. */
  | 'unenforcing-partner'
  /** A duplicate was taken for our own lost attempt, but somebody else had used the value. */
  | 'value-taken-by-others'
  /** Points or content of a pass, which another system is known to have changed, were taken for our own lost attempt. */
  | 'pass-changed-by-others'
  /** The partner applied one request twice. */
  | 'partner-applied-twice'
  /** A rebuilt lane would send the same in the same order, with other numbers in head, redo and ahead. */
  | 'rebuild-in-other-numbers'
  /** The programs file asks for at least once. */
  | 'at-least-once'
  /** The pass that an enrolment had issued was gone, and it was issued anew. */
  | 'issued-anew'
  /** An operator had something sent again whose outcome nobody knew. */
  | 'operator-replay';

/** First broken first: by time, what has no time last; among equals by number. */
export function byTimeAndNumber(one: Violation, other: Violation): number {
  return (one.at ?? Infinity) - (other.at ?? Infinity) || numberOf(one) - numberOf(other) || 0;
}

function numberOf({ invariant }: Violation): number {
  return Number(invariant.slice(1));
}

/** One invariant of design.md section 9. */
export interface Invariant {
  readonly id: InvariantId;
  /** What is looked at here. */
  readonly checks: string;
  /** What a history does not show. */
  readonly cannotSee: string;
  /** The tests that look at the rest. */
  readonly elsewhere: readonly string[];
  /** Starts looking at one run; absent: nothing of it shows in a history. */
  readonly judge?: (run: RunHistory) => Judge;
}

/** Sees every lane once, then the run as a whole. */
export interface Judge {
  readonly lane?: (view: LaneView) => Iterable<Finding>;
  readonly end?: () => Iterable<Finding>;
}

export type Finding = Accusation | Exposure;
export type Accusation = Omit<Violation, 'invariant'>;

/** Something that lies outside the promise. */
interface Exposure {
  readonly bucket: ExposureBucket;
  readonly laneId: number;
  readonly seq: number;
}

export function isExposure(finding: Finding): finding is Exposure {
  return 'bucket' in finding;
}

/** Something is wrong with the lane as it ended. */
export function atTheEnd(view: LaneView, problem: string, rows: readonly unknown[] = [view.history.lane]): Accusation {
  return { problem, at: null, laneId: view.history.lane.laneId, seq: null, attempt: null, rows };
}

/** Something was wrong when this event happened. */
export function whenItHappened(
  view: LaneView,
  row: EventRow,
  told: { problem: string; rows?: readonly unknown[] },
): Accusation {
  const { event, seq } = row;
  const attempt = 'attempt' in event ? event.attempt : null;
  const { problem, rows = [] } = told;
  return { problem, at: event.at, laneId: view.history.lane.laneId, seq, attempt, rows: [row, ...rows] };
}

/** Something is wrong with the run, not with a lane. */
export function ofTheRun(problem: string, rows: readonly unknown[], at: number | null = null): Accusation {
  return { problem, at, laneId: null, seq: null, attempt: null, rows };
}
