import type { Database } from '#platform';

import { BatchRaceError } from './batch-race-error.js';
import type { BatchResult, BatchToRecord } from './batch-to-record.js';
import { BatchTransaction } from './batch-transaction.js';
import type { IngestKeys } from './ingest-keys.js';

/** Records in one transaction, at most: 500 is where a bigger batch stops paying (measured, design.md section 4). */
export const recordBatchMax = 500;
/** Two consumers recording the same identity at once is rare; so many in a row is a defect. */
export const batchRaceAttemptsMax = 5;

/**
 * Records consecutive records of one partition in one transaction: intents, quarantine rows, identities and the moved
 * offset commit together or not at all. Repeating it after a lost acknowledgement is safe: the stored offset drops what
 * is already consumed.
 * @throws {DatabaseError} when nothing is known to be recorded
 * @throws {OffsetBehindError} when the partition does not stand where the batch begins
 */
export async function recordBatch(database: Database, batch: BatchToRecord, keys: IngestKeys): Promise<BatchResult> {
  if (batch.records.length > recordBatchMax) throw new RangeError(`a batch holds at most ${recordBatchMax} records`);
  for (let attempts = 1; ; attempts += 1) {
    const transaction = new BatchTransaction(batch, keys, attempts > 1);
    try {
      return await database.transaction('record_batch', (session) => transaction.run(session));
    } catch (error) {
      if (!(error instanceof BatchRaceError) || attempts >= batchRaceAttemptsMax) throw error;
    }
  }
}
