/** One record batch as it travels and is stored; only its first field, the base offset, is ours to write. */
export interface RecordBatch {
  readonly bytes: Buffer;
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly baseTimestamp: number;
  readonly maxTimestamp: number;
}

// Layout of a batch, format 2: base offset int64, length int32, leader epoch int32, magic int8, crc int32,
// attributes int16, last offset delta int32, base timestamp int64, max timestamp int64, ...
const lengthAt = 8;
const lengthStart = 12;
const magicAt = 16;
const lastOffsetDeltaAt = 23;
const baseTimestampAt = 27;
const maxTimestampAt = 35;
const headerBytes = 61;
const supportedMagic = 2;

/** Cuts what a producer sent into its batches. `undefined` if it is not made of whole batches of format 2. */
export const splitBatches = (records: Buffer): Buffer[] | undefined => {
  const batches: Buffer[] = [];
  let start = 0;
  while (start < records.length) {
    if (records.length - start < headerBytes) return undefined;
    const end = start + lengthStart + records.readInt32BE(start + lengthAt);
    if (end > records.length || end < start + headerBytes) return undefined;
    if (records.readInt8(start + magicAt) !== supportedMagic) return undefined;
    batches.push(records.subarray(start, end));
    start = end;
  }
  return batches;
};

/** The batch at its place in the log: a copy with its base offset, which the checksum does not cover. */
export const placeBatch = (sent: Buffer, baseOffset: number): RecordBatch => {
  const bytes = Buffer.from(sent);
  bytes.writeBigInt64BE(BigInt(baseOffset), 0);
  return {
    bytes,
    baseOffset,
    lastOffset: baseOffset + bytes.readInt32BE(lastOffsetDeltaAt),
    baseTimestamp: Number(bytes.readBigInt64BE(baseTimestampAt)),
    maxTimestamp: Number(bytes.readBigInt64BE(maxTimestampAt)),
  };
};
