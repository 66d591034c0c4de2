import { needsPass } from '#domain';

import type { IntentRow } from '../history/lane-history.js';
import type { DedupRow, RunHistory } from '../history/run-history.js';
import type { LaneView } from '../lane/lane-view.js';
import { placeName } from '../lane/place-name.js';
import type { Finding, Invariant, Judge } from './invariant.js';
import { atTheEnd, ofTheRun } from './invariant.js';

/** I3: dedup keys are unique, sequences and versions dense. */
export const denseAndUnique: Invariant = {
  id: 'I3',
  checks:
    'seq 1..tail and version 1..n per lane without hole or repetition; dedup keys once, each of a recorded intent; one transaction or reward per business key',
  cannotSee: 'an enrolment that was called for twice in one generation of its member',
  elsewhere: ['libs/intents/src/batch/identities.int.spec.ts'],
  judge: (run) => new DensityJudge(run),
};

interface Recorded {
  readonly place: string;
  readonly record: string;
}

class DensityJudge implements Judge {
  private readonly tails = new Map<number, number>();
  /** Where each event and each business key was recorded. */
  private readonly recorded = new Map<string, Recorded>();
  private readonly keyOf = new Map<string, string>();

  constructor(private readonly run: RunHistory) {
    for (const record of run.log) {
      if (record.businessKey !== null) this.keyOf.set(placeName(record), record.businessKey);
    }
  }

  *lane(view: LaneView): Iterable<Finding> {
    const { lane, intents, events } = view.history;
    this.tails.set(lane.laneId, lane.tail);
    const seqs = intents.map(({ seq }) => seq);
    const versions = [...intents, ...events].map(({ version }) => version);
    if (!isDense(seqs, lane.tail)) {
      yield atTheEnd(view, 'sequences are not dense up to the tail', [lane, gapsOf(seqs, lane.tail)]);
    }
    if (!isDense(versions, lane.version)) {
      yield atTheEnd(view, 'versions are not dense up to the version', [lane, gapsOf(versions, lane.version)]);
    }
    for (const intent of intents) {
      const before = this.remember(intent, lane.laneId);
      if (before === undefined || intent.isResubmitted === true) continue;
      const { recordedAt: at, seq } = intent;
      yield { ...atTheEnd(view, `recorded before as ${before.place}`, [intent]), at, seq };
    }
  }

  /** @returns where it was recorded before; what one record was recorded twice of is for I19 */
  private remember(intent: IntentRow, laneId: number): Recorded | undefined {
    const record = placeName(intent);
    const businessKey = needsPass(intent.operation) ? this.keyOf.get(record) : undefined;
    const keys = [intent.dedupKey, ...(businessKey === undefined ? [] : [businessKey])];
    const before = keys
      .map((key) => this.recorded.get(key))
      .find((known) => known !== undefined && known.record !== record);
    for (const key of keys) this.recorded.set(key, { place: `${laneId}/${intent.seq}`, record });
    return before;
  }

  *end(): Iterable<Finding> {
    const seen = new Map<string, DedupRow>();
    for (const row of this.run.dedup) {
      const before = seen.get(row.key);
      seen.set(row.key, row);
      if (before !== undefined) yield ofTheRun('a dedup key stands twice', [before, row]);
      if (!this.isRecorded(row)) yield ofTheRun('a dedup key of an intent that is not recorded', [row]);
    }
    for (const [key, { place }] of this.recorded) {
      if (!seen.has(key)) yield ofTheRun(`the identity of intent ${place} is not remembered`, [{ key }]);
    }
  }

  private isRecorded({ laneId, seq }: DedupRow): boolean {
    return laneId === null || (seq ?? 0) <= (this.tails.get(laneId) ?? 0);
  }
}

function isDense(numbers: readonly number[], upTo: number): boolean {
  return numbers.length === upTo && gapsOf(numbers, upTo).length === 0;
}

function gapsOf(numbers: readonly number[], upTo: number): number[] {
  const present = new Set(numbers);
  return Array.from({ length: upTo }, (_, index) => index + 1)
    .filter((number) => !present.has(number))
    .slice(0, 20);
}
