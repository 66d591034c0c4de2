import { crc32c } from './checksum.js';
import { entryHeadBytes, formatAt, lengthAt, lengthStart, readOldMessage } from './old-messages.js';
import { compressionOf, magic, RecordReader, type RecordBatch } from './record-reader.js';

// Layout of a batch, format 2: base offset int64, length int32, leader epoch int32, magic int8, crc int32,
// attributes int16, last offset delta int32, base timestamp int64, max timestamp int64, producer id int64,
// producer epoch int16, base sequence int32, records int32, then the records.
const headerBytes = 61;
const checkedFrom = 21;
const flags = { logAppendTime: 0x08, transactional: 0x10, control: 0x20 };

const badSum = 'its checksum does not fit';
const badLength = 'its length is wrong';

/** What is asked of a partition, and what there is. */
export interface Bounds {
  readonly from: number;
  /** Where its next record was to lie when the broker began to read: what came meanwhile may be in its answer, too. */
  readonly end: number;
}

function readBatch(bytes: Buffer): RecordBatch {
  const attributes = bytes.readInt16BE(21);
  const baseOffset = Number(bytes.readBigInt64BE(0));
  const count = bytes.readInt32BE(57);
  return {
    bytes,
    baseOffset,
    lastOffset: baseOffset + bytes.readInt32BE(23),
    damage: null,
    compression: compressionOf(attributes),
    sent: bytes.subarray(headerBytes),
    isEmpty: count <= 0,
    layout: () => ({ count, firstOffset: baseOffset, reader: (payload) => new RecordReader(payload) }),
    baseTimestamp: Number(bytes.readBigInt64BE(27)),
    maxTimestamp: Number(bytes.readBigInt64BE(35)),
    hasAppendTime: (attributes & flags.logAppendTime) !== 0,
    isControl: (attributes & flags.control) !== 0,
    context: {
      producerId: String(bytes.readBigInt64BE(43)),
      inTransaction: (attributes & flags.transactional) !== 0,
    },
  };
}

/**
 * What is sure of the offsets of a batch whose head may be wrong: as many as its two counts agree on; one, where that is
 * beyond the end. What is left of it is fetched again, and set aside in turn.
 */
function sureOffsets(bytes: Buffer, { from, end }: Bounds): Pick<RecordBatch, 'baseOffset' | 'lastOffset'> {
  const isOld = isOldFormat(bytes.readInt8(formatAt));
  if (!isOld && bytes.length < headerBytes) return { baseOffset: from, lastOffset: from };
  const delta = isOld ? 0 : Math.min(bytes.readInt32BE(23), bytes.readInt32BE(57) - 1);
  const claimed = Number(bytes.readBigInt64BE(0)) + delta;
  return { baseOffset: from, lastOffset: claimed < end ? Math.max(from, claimed) : from };
}

/** Nothing of it can be believed. */
function damagedBatch(bytes: Buffer, damage: string, bounds: Bounds): RecordBatch {
  const offsets = sureOffsets(bytes, bounds);
  return {
    ...{ bytes, damage, ...offsets, compression: undefined, sent: bytes, isEmpty: false },
    layout: () => ({ count: 0, firstOffset: offsets.baseOffset, reader: (payload) => new RecordReader(payload) }),
    ...{ baseTimestamp: 0, maxTimestamp: 0, hasAppendTime: false, isControl: false },
    context: { producerId: '-1', inTransaction: false },
  };
}

function isOldFormat(format: number): boolean {
  return format === 0 || format === 1;
}

/** One whole batch, of whichever format. */
function batchOf(bytes: Buffer, bounds: Bounds): RecordBatch {
  const format = bytes.readInt8(formatAt);
  if (isOldFormat(format)) return readOldMessage(bytes, bounds.from) ?? damagedBatch(bytes, badSum, bounds);
  if (format !== magic) return damagedBatch(bytes, `format ${format} is not known`, bounds);
  if (crc32c(bytes.subarray(checkedFrom)) !== bytes.readUInt32BE(17)) return damagedBatch(bytes, badSum, bounds);
  const batch = readBatch(bytes);
  // No checksum covers where it begins: one that leaves a gap and lies beyond the end is not believed. Without a gap it came
  // while the broker read, which looks at the end before (`Partition.readRecords` in Kafka 4.3: `initialHighWatermark`).
  const isElsewhere = batch.baseOffset > bounds.from && batch.lastOffset >= bounds.end;
  return isElsewhere ? damagedBatch(bytes, 'it lies beyond the end of its partition', bounds) : batch;
}

/** Whether a batch may end where it says: behind its own head, and not behind the set. */
function hasItsLength(set: Buffer, start: number, end: number): boolean {
  const headMin = isOldFormat(set.readInt8(start + formatAt)) ? entryHeadBytes : headerBytes;
  return end <= set.length && end - start >= headMin;
}

/**
 * The whole batches of a record set, as far as their offsets rise; brokers cut the last one off where they like, but never the
 * first (`ReplicaManager.read` in Kafka 4.3: `firstEntryIncomplete`): it says that it is longer than it is. Behind that, and
 * behind one that is shorter than its own head, nobody knows where the next begins: it stands for the rest of the set.
 */
export function* batchesOf(set: Buffer, bounds: Bounds): Generator<RecordBatch> {
  let { from } = bounds;
  for (let start = 0; start + entryHeadBytes <= set.length;) {
    const end = start + lengthStart + set.readInt32BE(start + lengthAt);
    if (end > set.length && start > 0) return;
    const isFramed = hasItsLength(set, start, end);
    const bytes = set.subarray(start, isFramed ? end : set.length);
    const batch = isFramed ? batchOf(bytes, { ...bounds, from }) : damagedBatch(bytes, badLength, { ...bounds, from });
    if (batch.baseOffset < from && from > bounds.from) return;
    yield batch;
    from = Math.max(from, batch.lastOffset + 1);
    start = isFramed ? end : set.length;
  }
}
