import type { BatchResult, PreparedRecord, SourcePartition } from '../batch/batch-to-record.js';
import { startOffset } from '../batch/offsets.js';
import { recordBatch } from '../batch/record-batch.js';
import type { TestEvent } from './records.js';
import { batchOf, now, prepared } from './records.js';
import type { TestStore } from './test-store.js';

/** Groups of events; each is recorded as a batch of its own. */
export type Batches = readonly (readonly TestEvent[])[];

type Split = (events: readonly TestEvent[]) => Batches;

const inOne: Split = (events) => [events];
const inOneEach: Split = (events) => events.map((event) => [event]);

/** How the same events may come, by name: for `describe.each`. */
export const waysToBatch: readonly (readonly [name: string, split: Split])[] = [
  ['in one batch', inOne],
  ['in a batch each', inOneEach],
];

let partitions = 0;

/** A partition of its own, read from offset 0: records its events in order. */
export class Till {
  readonly source: SourcePartition;
  private nextOffset = 0;
  private isStarted = false;

  constructor(private readonly store: TestStore) {
    partitions += 1;
    this.source = { clusterId: 'c1', topic: 'loyalty.purchases', incarnation: 1, partition: partitions };
  }

  /** Of the next record. */
  get offset(): number {
    return this.nextOffset;
  }

  /** Records these events as one batch. */
  async record(...events: readonly TestEvent[]): Promise<BatchResult> {
    return this.recordAt(now, ...events);
  }

  /** Records these events as one batch; what became of each: `recorded`, or the reason why not. */
  async tell(...events: readonly TestEvent[]): Promise<string[]> {
    const { results } = await this.record(...events);
    return results.map((result) => ('reason' in result ? result.reason : result.kind));
  }

  /** As `tell`, each group as a batch of its own. */
  async tellInBatches(...batches: Batches): Promise<string[]> {
    const outcomes: string[] = [];
    for (const events of batches) outcomes.push(...(await this.tell(...events)));
    return outcomes;
  }

  async recordAt(at: number, ...events: readonly TestEvent[]): Promise<BatchResult> {
    const from = this.nextOffset;
    return this.recordPrepared(
      events.map((event, index) => prepared(event, from + index)),
      at,
    );
  }

  async recordPrepared(records: readonly PreparedRecord[], at: number = now): Promise<BatchResult> {
    if (!this.isStarted) await startOffset(this.store.database, this.source, 0);
    this.isStarted = true;
    const batch = batchOf(records, { source: this.source, now: at });
    this.nextOffset = batch.nextOffset;
    return recordBatch(this.store.database, batch, this.store.keys);
  }
}

/** A lane's row as the database has it. */
export interface LaneRow {
  readonly lane_id: number;
  readonly due_at: number | null;
  readonly epoch: number;
  readonly revision: number;
  readonly version: number;
  readonly head_seq: number;
  readonly tail_seq: number;
  readonly cur_seq: number;
  readonly attempt: number;
  readonly attempt_open: boolean;
  readonly redo: number[];
  readonly ahead: number[];
  readonly issue_seq: number | null;
  readonly pass: string;
  readonly state: string;
  readonly owner: string | null;
}

export async function laneOf(store: TestStore, memberId: string): Promise<LaneRow> {
  const rows = await store.sql<LaneRow>(
    'SELECT l.* FROM lane l JOIN member m USING (lane_id) WHERE m.member_id = $1',
    memberId,
  );
  const row = rows[0];
  if (row === undefined) throw new Error(`no lane of ${memberId}`);
  return row;
}

/** `seq type` of everything that happened in a lane, in version order; throws where versions are not dense from 1. */
export async function historyOf(store: TestStore, memberId: string): Promise<string[]> {
  const { lane_id: laneId, version } = await laneOf(store, memberId);
  const rows = await store.sql<{ version: number; seq: number; type: string }>(
    `SELECT version, seq, 'IntentRecorded' AS type FROM intent WHERE lane_id = $1
     UNION ALL SELECT version, seq, type FROM intent_event WHERE lane_id = $1 ORDER BY version`,
    laneId,
  );
  const isDense = rows.length === version && rows.every((row, index) => row.version === index + 1);
  if (!isDense) throw new Error(`versions are not dense: ${JSON.stringify({ version, rows })}`);
  return rows.map(({ seq, type }) => `${seq} ${type}`);
}
