import type { EventRow } from '../history/lane-history.js';
import type { RunHistory } from '../history/run-history.js';
import type { LaneView } from '../lane/lane-view.js';
import type { ExposureBucket, InvariantId, Violation } from '../violation.js';

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
export interface Exposure {
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
