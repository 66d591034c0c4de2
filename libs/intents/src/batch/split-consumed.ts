import type { PreparedRecord, RecordResult } from './batch-to-record.js';

/** Records below the stored offset were consumed before: by us, or by whoever had the partition meanwhile. */
export function splitConsumed(
  records: readonly PreparedRecord[],
  storedOffset: number,
): { readonly consumed: RecordResult[]; readonly fresh: PreparedRecord[] } {
  const fresh = records.filter(({ original }) => original.offset >= storedOffset);
  const consumed = records
    .slice(0, records.length - fresh.length)
    .map((): RecordResult => ({ kind: 'ignored', reason: 'already-consumed' }));
  return { consumed, fresh };
}
