import type { SqlSession } from '#platform';

import { recordFingerprint } from '../sources/record-fingerprint.js';
import { BatchRaceError } from './batch-race-error.js';
import type { BatchResult, BatchToRecord, PreparedRecord, RecordResult } from './batch-to-record.js';
import type { IngestKeys } from './ingest-keys.js';
import { lockLanes } from './lock-lanes.js';
import { lockOffset } from './lock-offset.js';
import { MemberBook } from './member-book.js';
import { moveOffset } from './move-offset.js';
import type { OffsetMove } from './move-offset.js';
import { OffsetBehindError } from './offset-behind-error.js';
import { PendingWrites } from './pending-writes.js';
import { ProfileBook } from './profile-book.js';
import { segmentRecords } from './segment-records.js';
import { SegmentRecorder } from './segment-recorder.js';
import { splitConsumed } from './split-consumed.js';

/** One attempt at recording a batch, all in one transaction. */
export class BatchTransaction {
  private readonly members: MemberBook;

  constructor(
    private readonly batch: BatchToRecord,
    private readonly keys: IngestKeys,
    /** An attempt before this one lost a race: what is read is locked, so that it cannot be lost again. */
    private readonly isWary: boolean,
  ) {
    this.members = new MemberBook(keys.members, batch.now);
  }

  async run(session: SqlSession): Promise<BatchResult> {
    const writes = new PendingWrites();
    try {
      const result = await this.recordAll(session, writes);
      await writes.answered();
      return result;
    } catch (error) {
      // After a failed statement the server refuses all that follow: the first one tells why.
      throw (await writes.failure()) ?? error;
    }
  }

  private async recordAll(session: SqlSession, writes: PendingWrites): Promise<BatchResult> {
    const { batch, keys, members } = this;
    const profiles = new ProfileBook(members);
    // In one round trip: hardly ever is a record consumed already, whose member need not have been looked for.
    const [stored] = await Promise.all([lockOffset(session, batch.source), members.learn(session, batch.records)]);
    if (stored === null) throw new BatchRaceError('offset');
    if (stored < batch.fromOffset) throw new OffsetBehindError(stored, batch.fromOffset);
    const { consumed, fresh } = splitConsumed(batch.records, stored);
    if (stored >= batch.nextOffset) return { results: consumed, intents: 0, nextOffset: stored };
    const segments = segmentRecords(fresh);
    await this.learn(session, { fresh, segments: segments.length });
    const tools = { keys, members, profiles, writes };
    const results: RecordResult[] = consumed;
    let intents = 0;
    for (const segment of segments) {
      const recorded = await new SegmentRecorder(session, batch, tools).record(segment);
      results.push(...recorded.results);
      intents += recorded.intents;
    }
    await profiles.save(session);
    writes.add(moveOffset(session, batch.source, { nextOffset: batch.nextOffset, last: this.lastRecord() }));
    return { results, intents, nextOffset: batch.nextOffset };
  }

  private lastRecord(): OffsetMove['last'] {
    const last = this.batch.records.at(-1)?.original;
    if (last === undefined) return null;
    return { offset: last.offset, fingerprint: recordFingerprint(last, this.keys.mac) };
  }

  /** Learns who the members are; under their lanes' locks where a decision rests on how they stand. */
  private async learn(
    session: SqlSession,
    of: { readonly fresh: readonly PreparedRecord[]; readonly segments: number },
  ): Promise<void> {
    const { members } = this;
    const isOrdered = of.fresh.some(({ verdict }) => verdict.kind === 'routed' && verdict.profilePosition !== null);
    const mustLock = this.isWary || isOrdered || of.segments > 1;
    if (!mustLock || members.laneIds.length === 0) return;
    // All at once and in order: locked segment by segment, two batches would meet head-on.
    await lockLanes(session, members.laneIds);
    await members.learn(session, of.fresh);
  }
}
