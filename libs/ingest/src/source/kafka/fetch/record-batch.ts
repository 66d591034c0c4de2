import type { Compression } from '../compression/decompress.js';

// Layout of a batch, format 2: base offset int64, length int32, leader epoch int32, magic int8, crc int32,
// attributes int16, last offset delta int32, base timestamp int64, max timestamp int64, producer id int64,
// producer epoch int16, base sequence int32, records int32, then the records.
const lengthStart = 12;
export const headerBytes = 61;
export const magic = 2;
const flags = { compression: 0x07, logAppendTime: 0x08, transactional: 0x10, control: 0x20 };
const compressions: readonly (Compression | null | undefined)[] = [null, 'gzip', 'snappy', 'lz4', 'zstd'];

/** The head of a record batch of format 2. */
export interface RecordBatch {
  /** All of it. */
  readonly bytes: Buffer;
  readonly baseOffset: number;
  readonly lastOffset: number;
  /** `null`: not compressed; `undefined`: by something that nobody knows. */
  readonly compression: Compression | null | undefined;
  readonly baseTimestamp: number;
  readonly maxTimestamp: number;
  readonly hasAppendTime: boolean;
  readonly isControl: boolean;
  /** As KafkaJS tells what belongs to an aborted transaction. */
  readonly context: { readonly producerId: string; readonly inTransaction: boolean };
  readonly count: number;
}

function readBatch(bytes: Buffer): RecordBatch {
  const attributes = bytes.readInt16BE(21);
  const baseOffset = Number(bytes.readBigInt64BE(0));
  return {
    bytes,
    baseOffset,
    lastOffset: baseOffset + bytes.readInt32BE(23),
    compression: compressions[attributes & flags.compression],
    baseTimestamp: Number(bytes.readBigInt64BE(27)),
    maxTimestamp: Number(bytes.readBigInt64BE(35)),
    hasAppendTime: (attributes & flags.logAppendTime) !== 0,
    isControl: (attributes & flags.control) !== 0,
    context: {
      producerId: String(bytes.readBigInt64BE(43)),
      inTransaction: (attributes & flags.transactional) !== 0,
    },
    count: bytes.readInt32BE(57),
  };
}

/** The whole batches of a record set; brokers cut the last one off where they like. */
export function* batchesOf(set: Buffer): Generator<RecordBatch> {
  for (let start = 0; start + headerBytes <= set.length;) {
    const end = start + lengthStart + set.readInt32BE(start + 8);
    if (end > set.length) return;
    if (end < start + headerBytes) throw new Error('a record batch shorter than its own header');
    yield readBatch(set.subarray(start, end));
    start = end;
  }
}

/** A set of the format before 2. */
export function isOldFormat(set: Buffer): boolean {
  return set.length >= headerBytes && set.readInt8(16) < magic;
}
