import type { History, LaneHistory, RunHistory } from './history.js';
import { invariants } from './invariants/index.js';
import type { ExposureBucket, Finding, InvariantId, Judge, Violation } from './invariants/invariant.js';
import { byTimeAndNumber, isExposure } from './invariants/invariant.js';
import type { IntentView, LaneView } from './lane/lane-view.js';
import { laneView } from './lane/lane-view.js';
import { recordName } from './lane/place-name.js';
import { wayLeft } from './lane/way-out.js';

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
  const checker = new HistoryChecker(run);
  for (const lane of lanes) checker.check(lane);
  return checker.finish();
}

/** Hears lanes one by one, so that none needs to be kept: for runs that are larger than memory. */
export class HistoryChecker {
  private readonly judges: readonly { readonly id: InvariantId; readonly judge: Judge }[];
  private readonly kept = new Map<InvariantId, Violation[]>();
  private readonly broken: Partial<Record<InvariantId, number>> = {};
  private readonly exposures: Partial<Record<ExposureBucket, number>> = {};
  private readonly figures = new FigureCounter();
  /** Of events whose records tell several, by record and identity. */
  private readonly ordinals: ReadonlyMap<string, number>;

  constructor(private readonly run: RunHistory) {
    this.ordinals = new Map(
      run.log.flatMap((record) =>
        record.ordinal === undefined ? [] : [[`${recordName(record)} ${record.eventKey ?? ''}`, record.ordinal]],
      ),
    );
    this.judges = invariants.flatMap(({ id, judge }) => (judge === undefined ? [] : [{ id, judge: judge(run) }]));
  }

  /** @throws {Error} when the lane's program is not among those of the run */
  check(history: LaneHistory): void {
    const view = this.viewOf(history);
    this.figures.count(view);
    for (const { id, judge } of this.judges) this.note(id, judge.lane?.(view) ?? []);
  }

  finish(): Verdict {
    for (const { id, judge } of this.judges) this.note(id, judge.end?.() ?? []);
    const violations = [...this.kept.values()].flat().sort(byTimeAndNumber);
    return { violations, broken: this.broken, exposures: this.exposures, figures: this.figures.figures };
  }

  private viewOf(history: LaneHistory): LaneView {
    const { programs, notes } = this.run;
    const policy = programs[history.lane.program];
    if (policy === undefined) throw new Error(`a lane of program ${history.lane.program}, which the run does not know`);
    return laneView(this.withOrdinals(history), { policy, notes });
  }

  /** Which event of its record an intent is of, is told by its identity. */
  private withOrdinals(history: LaneHistory): LaneHistory {
    const { ordinals } = this;
    if (ordinals.size === 0) return history;
    const intents = history.intents.map((intent) => {
      const ordinal = ordinals.get(`${recordName(intent)} ${intent.dedupKey}`);
      return ordinal === undefined ? intent : { ...intent, ordinal };
    });
    return { ...history, intents };
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

/** What a run was like. */
export interface RunFigures {
  readonly lanes: number;
  readonly intents: number;
  readonly delivered: number;
  readonly cancelled: number;
  readonly attempts: number;
  readonly effects: number;
  /** Attempts whose outcome was unknown. */
  readonly unknowns: number;
  /** How unknown outcomes were resolved: by evidence, by what allowed a resend, or parked. */
  readonly resolutions: Readonly<Record<string, number>>;
  /** Parked in the end, by reason. */
  readonly parked: Readonly<Record<string, number>>;
  /** Of those parked as unknown, how many could have been found out: the policy has a way for them. */
  readonly overParked: number;
  readonly lateOutcomes: number;
}

type Counts = { -readonly [K in keyof RunFigures]: RunFigures[K] extends number ? number : Record<string, number> };

class FigureCounter {
  private readonly counts: Counts = {
    lanes: 0,
    intents: 0,
    delivered: 0,
    cancelled: 0,
    attempts: 0,
    effects: 0,
    unknowns: 0,
    resolutions: {},
    parked: {},
    overParked: 0,
    lateOutcomes: 0,
  };

  get figures(): RunFigures {
    return this.counts;
  }

  count(view: LaneView): void {
    this.counts.lanes += 1;
    this.counts.effects += view.history.effects.length;
    for (const intent of view.intents.values()) this.countIntent(view, intent);
  }

  private countIntent(view: LaneView, intent: IntentView): void {
    const { counts } = this;
    const { status } = intent.state;
    counts.intents += 1;
    counts.attempts += intent.attempts.length;
    counts.delivered += status === 'delivered' ? 1 : 0;
    counts.cancelled += status === 'cancelled' ? 1 : 0;
    this.countParked(view, intent);
    for (const { row } of intent.steps) {
      counts.unknowns += row.event.type === 'AttemptUnknown' ? 1 : 0;
      counts.lateOutcomes += row.event.type === 'LateOutcome' ? 1 : 0;
      add(counts.resolutions, resolutionOf(row.event));
    }
  }

  private countParked({ policy }: LaneView, { row, state }: IntentView): void {
    const { status, park } = state;
    if (status !== 'parked' || park === null) return;
    add(this.counts.parked, park.reason);
    const hasWay = wayLeft(row, policy, state) !== 'park';
    this.counts.overParked += park.reason === 'unknown-outcome' && hasWay ? 1 : 0;
  }
}

type Event = IntentView['steps'][number]['row']['event'];

function resolutionOf(event: Event): string | null {
  if (event.type === 'VerifiedApplied') return `applied: ${event.evidence}`;
  if (event.type === 'VerifiedAbsent') return `absent: ${event.evidence}`;
  if (event.type === 'ResendDecided') return `sent again: ${event.basis}`;
  return event.type === 'IntentParked' && event.reason === 'unknown-outcome' ? 'parked' : null;
}

function add(counts: Record<string, number>, name: string | null): void {
  if (name !== null) counts[name] = (counts[name] ?? 0) + 1;
}
