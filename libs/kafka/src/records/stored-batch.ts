import type { FetchedRecord } from '../driver.js';
import { type KafkaRecord, toFetchedRecord } from './record-reader.js';
import { AnswerBudget, decodeRecordSet, pieceLimits } from './record-set.js';

/** A record batch as a broker had it, and which of its offsets are wanted. */
export interface StoredBatch {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/**
 * Takes a stored record batch apart as fetched ones are, some 16 MiB or an eighth of the limit at a time.
 * @param batchBytesMax what the batch may grow to
 */
export async function* recordsOf(
  { bytes, from, to }: StoredBatch,
  batchBytesMax: number,
): AsyncGenerator<readonly FetchedRecord[], void> {
  const set = Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
  const isWanted = ({ isControlRecord, offset }: KafkaRecord): boolean => !isControlRecord && Number(offset) <= to;
  for (let next = from; next <= to;) {
    const budget = new AnswerBudget(batchBytesMax, pieceLimits(batchBytesMax));
    const records = await decodeRecordSet(set, { from: next, end: to + 1 }, budget);
    const last = records.at(-1);
    // Behind its last record there may be nothing, up to its last offset.
    if (last === undefined && next > from) return;
    if (last === undefined) throw new Error('a stored record batch is not whole');
    yield records.filter(isWanted).map(toFetchedRecord);
    next = Number(last.offset) + 1;
  }
}
