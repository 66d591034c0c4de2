import type { Database, SqlSession } from '#platform';

import type { RecordToQuarantine } from '../quarantine/sealed-record.js';
import { insertQuarantine } from '../quarantine/sealed-record.js';
import { recordFingerprint } from '../sources/record-fingerprint.js';
import type { BatchResult, BatchToRecord, IngestKeys, PreparedRecord, RecordResult } from './batch-to-record.js';
import { MemberCache } from './members.js';
import type { OffsetMove } from './offsets.js';
import { lockOffset, moveOffset, OffsetBehindError } from './offsets.js';
import { recordRecords } from './record-records.js';
import type { PendingWrites } from './recording-transaction.js';
import { BatchRaceError, repeatRaces, withPendingWrites } from './recording-transaction.js';

/** Records in one transaction, at most: 500 is where a bigger batch stops paying (measured, design.md section 4). */
export const recordBatchMax = 500;

/**
 * Records consecutive records of one partition in one transaction: intents, quarantine rows, identities and the moved
 * offset commit together or not at all. Repeating it after a lost acknowledgement is safe: the stored offset drops what
 * is already consumed.
 * @throws {DatabaseError} when nothing is known to be recorded
 * @throws {OffsetBehindError} when the partition does not stand where the batch begins
 */
export async function recordBatch(database: Database, batch: BatchToRecord, keys: IngestKeys): Promise<BatchResult> {
  if (batch.records.length > recordBatchMax) throw new RangeError(`a batch holds at most ${recordBatchMax} records`);
  return repeatRaces((isPessimistic) => {
    const transaction = new BatchTransaction(batch, keys, isPessimistic);
    return database.transaction('record_batch', (session) => transaction.run(session));
  });
}

/** One attempt at recording a batch, all in one transaction. */
class BatchTransaction {
  private readonly members: MemberCache;

  constructor(
    private readonly batch: BatchToRecord,
    private readonly keys: IngestKeys,
    /** An attempt before this one lost a race: what is read is locked, so that it cannot be lost again. */
    private readonly isPessimistic: boolean,
  ) {
    this.members = new MemberCache(keys.members, batch.now);
  }

  async run(session: SqlSession): Promise<BatchResult> {
    return withPendingWrites((writes) => this.recordAll(session, writes));
  }

  private async recordAll(session: SqlSession, writes: PendingWrites): Promise<BatchResult> {
    const { batch, keys, members, isPessimistic } = this;
    // In one round trip: hardly ever is a record consumed already, whose member need not have been looked for.
    const [stored] = await Promise.all([lockOffset(session, batch.source), members.learn(session, batch.records)]);
    if (stored === null) throw new BatchRaceError('offset');
    if (stored < batch.fromOffset) throw new OffsetBehindError(stored, batch.fromOffset);
    const { consumed, fresh } = splitConsumed(batch.records, stored);
    if (stored >= batch.nextOffset) return { results: consumed, intents: 0, nextOffset: stored };
    const setAside = this.setAside.bind(this);
    const recording = { context: batch, keys, members, writes, isPessimistic, setAside };
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

/** Records below the stored offset were consumed before: by us, or by whoever had the partition meanwhile. */
function splitConsumed(
  records: readonly PreparedRecord[],
  storedOffset: number,
): { readonly consumed: RecordResult[]; readonly fresh: PreparedRecord[] } {
  const fresh = records.filter(({ original }) => original.offset >= storedOffset);
  const consumed = records
    .slice(0, records.length - fresh.length)
    .map((): RecordResult => ({ kind: 'ignored', reason: 'already-consumed' }));
  return { consumed, fresh };
}
