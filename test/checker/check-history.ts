import type { History } from './history/history.js';
import type { LaneHistory } from './history/lane-history.js';
import type { RunHistory } from './history/run-history.js';
import { invariants } from './invariants/index.js';
import type { Finding, Judge } from './invariants/invariant.js';
import { isExposure } from './invariants/invariant.js';
import type { LaneView } from './lane/lane-view.js';
import { laneView } from './lane/lane-view.js';
import type { RunFigures } from './run-figures.js';
import { FigureCounter } from './run-figures.js';
import type { ExposureBucket, InvariantId, Violation } from './violation.js';
import { byTimeAndNumber } from './violation.js';

/** Kept of each invariant: where one thing is broken it is often broken everywhere. */
const keptPerInvariantMax = 50;

export interface Verdict {
  /** First broken first; at most 50 of each invariant. */
  readonly violations: readonly Violation[];
  /** How often each invariant was broken, those not kept included; those that held are absent. */
  readonly broken: Readonly<Partial<Record<InvariantId, number>>>;
  /** What lies outside the promise, by bucket. */
  readonly exposures: Readonly<Partial<Record<ExposureBucket, number>>>;
  readonly figures: RunFigures;
}

/**
 * Checks a history against the invariants of design.md section 9. Pure.
 * @returns what is broken, the first first; empty when everything holds
 */
export function checkHistory(history: History): readonly Violation[] {
  return judgeHistory(history).violations;
}

/** As `checkHistory`, with what is counted beside. Pure. */
export function judgeHistory({ run, lanes }: History): Verdict {
  const court = new Court(run);
  for (const lane of lanes) court.hear(lane);
  return court.close();
}

/** Hears lanes one by one, so that none needs to be kept: for runs that are larger than memory. */
export class Court {
  private readonly bench: readonly { readonly id: InvariantId; readonly judge: Judge }[];
  private readonly kept = new Map<InvariantId, Violation[]>();
  private readonly broken: Partial<Record<InvariantId, number>> = {};
  private readonly exposures: Partial<Record<ExposureBucket, number>> = {};
  private readonly figures = new FigureCounter();

  constructor(private readonly run: RunHistory) {
    this.bench = invariants.flatMap(({ id, judge }) => (judge === undefined ? [] : [{ id, judge: judge(run) }]));
  }

  /** @throws {Error} when the lane's program is not among those of the run */
  hear(history: LaneHistory): void {
    const view = this.viewOf(history);
    this.figures.count(view);
    for (const { id, judge } of this.bench) this.note(id, judge.lane?.(view) ?? []);
  }

  close(): Verdict {
    for (const { id, judge } of this.bench) this.note(id, judge.end?.() ?? []);
    const violations = [...this.kept.values()].flat().sort(byTimeAndNumber);
    return { violations, broken: this.broken, exposures: this.exposures, figures: this.figures.figures };
  }

  private viewOf(history: LaneHistory): LaneView {
    const { programs, notes } = this.run;
    const policy = programs[history.lane.program];
    if (policy === undefined) throw new Error(`a lane of program ${history.lane.program}, which the run does not know`);
    return laneView(history, { policy, notes });
  }

  private note(invariant: InvariantId, findings: Iterable<Finding>): void {
    for (const finding of findings) {
      if (isExposure(finding)) {
        this.exposures[finding.bucket] = (this.exposures[finding.bucket] ?? 0) + 1;
        continue;
      }
      this.broken[invariant] = (this.broken[invariant] ?? 0) + 1;
      const kept = this.kept.get(invariant) ?? [];
      this.kept.set(invariant, kept);
      if (kept.length < keptPerInvariantMax) kept.push({ invariant, ...finding });
    }
  }
}
