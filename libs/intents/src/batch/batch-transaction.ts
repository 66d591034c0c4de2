import type { SqlSession } from '#platform';

import { BatchRaceError } from './batch-race-error.js';
import type { BatchResult, BatchToRecord, RecordResult } from './batch-to-record.js';
import type { IngestKeys } from './ingest-keys.js';
import { lockLanes } from './lock-lanes.js';
import { lockOffset } from './lock-offset.js';
import { MemberBook } from './member-book.js';
import { moveOffset } from './move-offset.js';
import { segmentRecords } from './segment-records.js';
import { SegmentRecorder } from './segment-recorder.js';
import { splitConsumed } from './split-consumed.js';

/** One attempt at recording a batch, all in one transaction. */
export class BatchTransaction {
  private readonly members: MemberBook;

  constructor(
    private readonly batch: BatchToRecord,
    private readonly keys: IngestKeys,
  ) {
    this.members = new MemberBook(keys.members, batch.now);
  }

  forgetCreatedKeys(): void {
    this.members.forgetCreatedKeys();
  }

  async run(session: SqlSession): Promise<BatchResult> {
    const { batch, keys, members } = this;
    const stored = await lockOffset(session, batch.source);
    if (stored === null) throw new BatchRaceError('offset');
    const { consumed, fresh } = splitConsumed(batch.records, stored);
    if (stored >= batch.nextOffset) return { results: consumed, intents: 0, nextOffset: stored };
    await members.learn(session, fresh);
    const results: RecordResult[] = consumed;
    let intents = 0;
    const segments = segmentRecords(fresh);
    // All at once and in order: locked segment by segment, two batches would meet head-on.
    if (segments.length > 1) await lockLanes(session, members.laneIds);
    for (const segment of segments) {
      const recorded = await new SegmentRecorder(session, batch, { keys, members }).record(segment);
      results.push(...recorded.results);
      intents += recorded.intents;
    }
    await moveOffset(session, batch.source, batch.nextOffset);
    return { results, intents, nextOffset: batch.nextOffset };
  }
}
