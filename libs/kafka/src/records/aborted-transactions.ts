import type { KafkaRecord } from './record-reader.js';
import { nothingAt } from './record-reader.js';

/** A transaction that its producer gave up, as a broker tells of it. */
export interface AbortedTransaction {
  readonly producerId: string;
  readonly firstOffset: number;
}

/** Key of a control record: version 0, kind 0. */
const abortKey = Buffer.from([0, 0, 0, 0]);

function endsTransaction({ isControlRecord, key }: KafkaRecord): boolean {
  return isControlRecord && key?.equals(abortKey) === true;
}

/**
 * The records without those of transactions that were given up: what KafkaJS passes over stands in their places, so that offsets
 * move on. KafkaJS's own filter (src/consumer/filterAbortedMessages.js, 2.2.4) takes the broker's list to be in the order in
 * which transactions began, and to begin within the answer: brokers list them in the order in which they ended, and what was
 * begun before the answer is in the list, too. It gave out sales that were never made.
 */
export function withoutAborted(
  records: readonly KafkaRecord[],
  aborted: readonly AbortedTransaction[],
): readonly KafkaRecord[] {
  if (aborted.length === 0) return records;
  const ahead = aborted.toSorted((a, b) => b.firstOffset - a.firstOffset);
  const open = new Set<string>();
  return records.map((record) => {
    const offset = Number(record.offset);
    for (let next = ahead.at(-1); next !== undefined && next.firstOffset <= offset; next = ahead.at(-1)) {
      open.add(next.producerId);
      ahead.pop();
    }
    const { producerId, inTransaction } = record.batchContext;
    if (endsTransaction(record)) open.delete(producerId);
    return !record.isControlRecord && inTransaction && open.has(producerId) ? nothingAt(offset) : record;
  });
}
