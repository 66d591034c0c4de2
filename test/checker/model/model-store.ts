import type { DedupRow, LaneSample, OffsetSample, QuarantineRow } from '../history.js';
import { truthDigest } from '../lane/truth-digest.js';
import type { Chance } from '#shop';
import { cancelIntent, recordLateOutcome, releaseLease, stateOf, takeStep } from './lane-model.js';
import type { ModelLane } from './model-lane.js';
import { newModelLane } from './model-lane.js';
import type { ModelStep } from './model-step.js';
import type { Bug } from './plan.js';

export const leaseMs = 12_000;

export interface StepResult {
  readonly completed: boolean;
  readonly begun: boolean;
}

type LateOutcomeToReport = Pick<ModelStep, 'laneId' | 'seq' | 'epoch' | 'attempt' | 'requestId'> & {
  readonly outcome: 'applied' | 'rejected' | 'not-applied' | 'unknown';
  readonly code: string;
};

/** The tables. Each method is one transaction. */
export class ModelStore {
  readonly lanes = new Map<number, ModelLane>();
  readonly dedup = new Map<string, DedupRow>();
  readonly quarantine: QuarantineRow[] = [];
  readonly offsets = new Map<string, number>();
  readonly offsetSamples: OffsetSample[] = [];
  readonly samples = new Map<number, LaneSample[]>();
  position = 0;
  transactions = 0;

  constructor(
    private readonly chance: Chance,
    readonly bug: Bug | null,
  ) {}

  laneOf(memberId: string): ModelLane {
    const known = [...this.lanes.values()].find((lane) => lane.memberId === memberId);
    const lane = known ?? newModelLane(this.lanes.size + 1, memberId);
    this.lanes.set(lane.laneId, lane);
    return lane;
  }

  /** Leases a due lane; any of them, for their order promises nothing. */
  claim(owner: string, now: number): ModelLane | null {
    const due = [...this.lanes.values()].filter(({ dueAt }) => dueAt !== null && dueAt <= now);
    const lane = this.chance.pickAny(due);
    if (lane === undefined) return null;
    if (this.bug === 'head-by-query-order') this.misplaceHead(lane);
    if (this.bug === 'open-attempt-overlooked') lane.attemptOpen = false;
    Object.assign(lane, { dueAt: now + leaseMs, epoch: lane.epoch + 1, owner });
    return { ...lane, intents: [...lane.intents], events: [...lane.events] };
  }

  step(step: ModelStep, now: number): StepResult {
    const lane = this.lanes.get(step.laneId);
    if (lane === undefined) return { completed: false, begun: false };
    const beginRest = { committedAt: now };
    const completionRest = { ...beginRest, requestId: step.requestId };
    return takeStep(lane, step, { now, bug: this.bug, beginRest, completionRest });
  }

  /** What a fenced worker learned, and what follows from it. */
  late({ laneId, seq, epoch, attempt, outcome, code, requestId }: LateOutcomeToReport, now: number): void {
    const lane = this.lanes.get(laneId);
    if (lane === undefined) return;
    const isKnown = lane.events.some(
      (row) => row.epoch === epoch && row.seq === seq && carriesAnswer(row.event, attempt),
    );
    if (isKnown && this.bug !== 'lost-acknowledgement-is-late') return;
    const rest = { committedAt: now, requestId };
    recordLateOutcome(lane, { seq, epoch, at: now, attempt, outcome: { kind: outcome, code }, rest });
  }

  release(laneId: number, epoch: number, now: number): void {
    const lane = this.lanes.get(laneId);
    if (lane !== undefined) releaseLease(lane, epoch, now);
  }

  /** A source event or an operator takes back what has not begun. */
  cancel(lane: ModelLane, seq: number, now: number): void {
    cancelIntent(lane, seq, now);
  }

  /** Somebody looks at everything. */
  sample(now: number): void {
    for (const [name, nextOffset] of this.offsets) {
      const [topic = '', partition = '0'] = name.split('/');
      this.offsetSamples.push({ takenAt: now, topic, incarnation: 1, partition: Number(partition), nextOffset });
    }
    for (const lane of this.lanes.values()) {
      const { laneId, version, epoch, cursor } = lane;
      const sample = { takenAt: now, version, epoch, head: cursor.head, digest: truthDigest(lane, version) };
      this.samples.set(laneId, [...(this.samples.get(laneId) ?? []), sample]);
    }
  }

  private misplaceHead(lane: ModelLane): void {
    const { head, tail } = lane.cursor;
    if (lane.pass !== 'known' || lane.attemptOpen || lane.attempt > 0 || lane.cursor.redo.length > 0) return;
    const open = Array.from({ length: tail - head + 1 }, (_, index) => head + index).filter(
      (seq) => stateOf(lane, seq).status === 'pending',
    );
    const current = this.chance.pickAny(open) ?? lane.cursor.current;
    if (current !== lane.cursor.current) lane.cursor = { ...lane.cursor, redo: [current], current };
  }
}

const outcomes: readonly string[] = [
  'AttemptApplied',
  'AttemptRejected',
  'AttemptNotApplied',
  'AttemptUnknown',
  'LateOutcome',
];

function carriesAnswer(event: { readonly type: string; readonly attempt?: number }, attempt: number): boolean {
  return outcomes.includes(event.type) && event.attempt === attempt;
}
