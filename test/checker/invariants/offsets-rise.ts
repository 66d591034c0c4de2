import type { IntentRow } from '../history/lane-history.js';
import type { OffsetSample, RunHistory } from '../history/run-history.js';
import type { LaneView } from '../lane/lane-view.js';
import { partitionName, placeName } from '../lane/place-name.js';
import type { Finding, Invariant, Judge } from './invariant.js';
import { ofTheRun } from './invariant.js';

/** I19: stored offsets rise within an incarnation; a consumer that lost its partition appends nothing. */
export const offsetsRise: Invariant = {
  id: 'I19',
  checks:
    'stored offsets never fall and end behind everything recorded; transactions of one partition recorded disjoint ranges in order; no record is in quarantine twice or makes two intents',
  cannotSee: 'what fenced consumers tried; ranges, where rows do not tell their transaction',
  elsewhere: ['libs/intents/src/batch/record-batch.int.spec.ts'],
  judge: (run) => new OffsetJudge(run),
};

/** What one transaction recorded of one partition. */
interface Range {
  position: number;
  first: number;
  last: number;
}

class OffsetJudge implements Judge {
  /** Partition -> transaction -> range. */
  private readonly ranges = new Map<string, Map<string, Range>>();
  private readonly highest = new Map<string, number>();
  private readonly used = new Set<string>();

  constructor(private readonly run: RunHistory) {}

  *lane({ history }: LaneView): Iterable<Finding> {
    for (const intent of history.intents) {
      if (intent.isResubmitted === true) continue;
      const { recordedAt: at, seq } = intent;
      const told = { at, laneId: history.lane.laneId, seq, attempt: null, rows: [intent] };
      if (this.used.has(placeName(intent))) yield { problem: 'a second intent of one record', ...told };
      this.used.add(placeName(intent));
      this.note(intent);
    }
  }

  *end(): Iterable<Finding> {
    yield* fallen(this.run.offsets);
    yield* this.twiceQuarantined();
    const stored = new Map(this.run.offsets.map((sample) => [partitionName(sample), sample]));
    for (const [partition, offset] of this.highest) {
      const sample = stored.get(partition);
      if (sample !== undefined && sample.nextOffset <= offset) {
        yield ofTheRun(`recorded up to offset ${offset}, stored as not consumed`, [sample]);
      }
    }
    for (const [partition, ranges] of this.ranges) yield* mixed(partition, [...ranges.values()]);
  }

  private note(intent: IntentRow): void {
    const name = partitionName(intent);
    const { offset, transaction, position } = intent;
    this.highest.set(name, Math.max(this.highest.get(name) ?? 0, offset));
    if (transaction === undefined || position === undefined) return;
    const ranges = this.ranges.get(name) ?? new Map<string, Range>();
    this.ranges.set(name, ranges);
    const range = ranges.get(transaction) ?? { position, first: offset, last: offset };
    ranges.set(transaction, range);
    range.position = Math.min(range.position, position);
    range.first = Math.min(range.first, offset);
    range.last = Math.max(range.last, offset);
  }

  private *twiceQuarantined(): Iterable<Finding> {
    const seen = new Set<string>();
    for (const row of this.run.quarantine) {
      if (seen.has(placeName(row))) yield ofTheRun('a record is in quarantine twice', [row]);
      seen.add(placeName(row));
    }
  }
}

function* fallen(samples: readonly OffsetSample[]): Iterable<Finding> {
  const last = new Map<string, OffsetSample>();
  for (const sample of samples) {
    const before = last.get(partitionName(sample));
    last.set(partitionName(sample), sample);
    if (before === undefined || before.nextOffset <= sample.nextOffset) continue;
    yield ofTheRun('a stored offset fell', [before, sample], sample.takenAt);
  }
}

function* mixed(partition: string, ranges: readonly Range[]): Iterable<Finding> {
  const inOrder = ranges.toSorted((one, other) => one.position - other.position);
  for (const [index, range] of inOrder.entries()) {
    const before = inOrder[index - 1];
    if (before === undefined || before.last < range.first) continue;
    yield ofTheRun(`${partition} was recorded by two consumers at once`, [before, range]);
  }
}
