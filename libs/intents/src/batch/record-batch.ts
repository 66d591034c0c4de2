import type { Database } from '#platform';

import type { BatchResult, BatchToRecord } from './batch-to-record.js';
import { BatchTransaction } from './batch-transaction.js';
import type { IngestKeys } from './ingest-keys.js';
import { repeatRaces } from './repeat-races.js';

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
  return repeatRaces((isWary) => {
    const transaction = new BatchTransaction(batch, keys, isWary);
    return database.transaction('record_batch', (session) => transaction.run(session));
  });
}
