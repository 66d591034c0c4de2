import type { SqlSession } from '#platform';

import { recordFingerprint } from '../sources/record-fingerprint.js';
import { BatchRaceError } from './batch-race-error.js';
import type { BatchResult, BatchToRecord } from './batch-to-record.js';
import type { IngestKeys } from './ingest-keys.js';
import type { RecordToQuarantine } from './insert-quarantine.js';
import { insertQuarantine } from './insert-quarantine.js';
import { lockOffset } from './lock-offset.js';
import { MemberBook } from './member-book.js';
import { moveOffset } from './move-offset.js';
import type { OffsetMove } from './move-offset.js';
import { OffsetBehindError } from './offset-behind-error.js';
import type { PendingWrites } from './pending-writes.js';
import { withPendingWrites } from './pending-writes.js';
import { recordRecords } from './record-records.js';
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
    return withPendingWrites((writes) => this.recordAll(session, writes));
  }

  private async recordAll(session: SqlSession, writes: PendingWrites): Promise<BatchResult> {
    const { batch, keys, members, isWary } = this;
    // In one round trip: hardly ever is a record consumed already, whose member need not have been looked for.
    const [stored] = await Promise.all([lockOffset(session, batch.source), members.learn(session, batch.records)]);
    if (stored === null) throw new BatchRaceError('offset');
    if (stored < batch.fromOffset) throw new OffsetBehindError(stored, batch.fromOffset);
    const { consumed, fresh } = splitConsumed(batch.records, stored);
    if (stored >= batch.nextOffset) return { results: consumed, intents: 0, nextOffset: stored };
    const setAside = this.setAside.bind(this);
    const recording = { context: batch, keys, members, writes, isWary, setAside };
    const { results, placed } = await recordRecords(session, fresh, recording);
    writes.add(moveOffset(session, batch.source, { nextOffset: batch.nextOffset, last: this.lastRecord() }));
    return { results: [...consumed, ...results], intents: placed.length, nextOffset: batch.nextOffset };
  }

  private setAside(session: SqlSession, records: readonly RecordToQuarantine[]): Promise<void> {
    const { quarantine: key, random } = this.keys;
    return insertQuarantine(session, { records, context: this.batch }, { key, random });
  }

  private lastRecord(): OffsetMove['last'] {
    const last = this.batch.records.at(-1)?.original;
    // A batch that was not taken apart proves nothing: under another limit, records stand where it stood.
    if (last === undefined || last.batch !== undefined) return null;
    return { offset: last.offset, fingerprint: recordFingerprint(last, this.keys.mac) };
  }
}
