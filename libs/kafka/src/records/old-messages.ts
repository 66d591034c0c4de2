import { crc32 } from 'node:zlib';
import {
  compressionOf,
  type FoundRecord,
  type ReadRecord,
  type RecordBatch,
  type RecordLayout,
  type RecordsReader,
} from './record-reader.js';

// Layout of a message, formats 0 and 1: offset int64, length int32, crc int32, format int8, attributes int8,
// timestamp int64 (format 1 only), key, value; both with an int32 length in front, -1 for none. The first three and the
// format lie where those of a newer batch do. A compressed message holds others as its value, and has the last one's offset.
export const lengthAt = 8;
export const lengthStart = 12;
export const formatAt = 16;
/** Of whichever format: as far as its format. */
export const entryHeadBytes = formatAt + 1;
const attributesAt = 17;
const partsAt = [18, 26] as const;
const logAppendTime = 0x08;

interface Message {
  readonly offset: number;
  readonly attributes: number;
  /** Epoch ms; 0 in format 0, which has none. */
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

/** Null where it is cut off. */
function partAt(bytes: Buffer, at: number): { readonly part: Buffer | null; readonly end: number } | null {
  if (at + 4 > bytes.length) return null;
  const length = bytes.readInt32BE(at);
  const start = at + 4;
  if (length === -1) return { part: null, end: start };
  if (length < 0 || start + length > bytes.length) return null;
  return { part: bytes.subarray(start, start + length), end: start + length };
}

/** One message with its own bytes and no others; null where it cannot be read. */
function readMessage(bytes: Buffer): Message | null {
  const format = bytes.readInt8(formatAt);
  const start = partsAt[format];
  if (start === undefined || bytes.length < start) return null;
  const key = partAt(bytes, start);
  const value = key === null ? null : partAt(bytes, key.end);
  if (key === null || value?.end !== bytes.length) return null;
  const timestamp = format === 0 ? 0 : Math.max(0, Number(bytes.readBigInt64BE(18)));
  const offset = Number(bytes.readBigInt64BE(0));
  return { offset, attributes: bytes.readInt8(attributesAt), timestamp, key: key.part, value: value.part };
}

/** Where the message at a place ends; null where it is not whole. */
function endAt(set: Buffer, start: number): number | null {
  if (start + entryHeadBytes > set.length) return null;
  const end = start + lengthStart + set.readInt32BE(start + lengthAt);
  return end < start + entryHeadBytes || end > set.length ? null : end;
}

/** The messages of a set, one after the other. */
class MessageReader implements RecordsReader {
  position = 0;

  constructor(
    private readonly set: Buffer,
    /** What their offsets are counted from. */
    private readonly origin: number,
  ) {}

  peek({ offsetMin, offsetMax }: { readonly offsetMin: number; readonly offsetMax: number }): FoundRecord | null {
    const end = endAt(this.set, this.position);
    if (end === null) return null;
    const offset = this.origin + Number(this.set.readBigInt64BE(this.position));
    return offset < offsetMin || offset > offsetMax ? null : { offset, bytes: end - this.position, end };
  }

  skip({ end }: FoundRecord): void {
    this.position = end;
  }

  read(): ReadRecord | null {
    const end = endAt(this.set, this.position);
    const message = end === null ? null : readMessage(this.set.subarray(this.position, end));
    // Compressed ones are not compressed again.
    if (end === null || message === null || compressionOf(message.attributes) !== null) return null;
    this.position = end;
    const { attributes, timestamp: timestampDelta, key, value } = message;
    return { attributes, timestampDelta, offset: this.origin + message.offset, key, value, headers: {} };
  }
}

/** How messages lie in a compressed one: in format 1 their offsets count from the first one. What is cut off counts, too. */
function layoutWithin(
  payload: Buffer,
  { format, last }: { readonly format: number; readonly last: number },
): RecordLayout {
  let [count, start, lastStart] = [0, 0, 0];
  for (let end = endAt(payload, start); end !== null; end = endAt(payload, start)) {
    [lastStart, start] = [start, end];
    count += 1;
  }
  const offsetAt = (at: number): number => (count === 0 ? 0 : Number(payload.readBigInt64BE(at)));
  const origin = format === 0 ? 0 : last - offsetAt(lastStart);
  return {
    count: start < payload.length ? count + 1 : count,
    firstOffset: origin + offsetAt(0),
    reader: (bytes) => new MessageReader(bytes, origin),
  };
}

/**
 * One message of the format before 2, as brokers before Kafka 4 may still have them on their disks: a batch of one record, or
 * of those that are compressed in it.
 * @param from the first offset that nothing before it stands for; a compressed message does not tell its first one
 * @returns null where it is damaged
 */
export function readOldMessage(bytes: Buffer, from: number): RecordBatch | null {
  const message = readMessage(bytes);
  if (message === null || crc32(bytes.subarray(formatAt)) !== bytes.readUInt32BE(lengthStart)) return null;
  const { offset, attributes, timestamp, value } = message;
  const compression = compressionOf(attributes);
  const isAlone = compression === null;
  const format = bytes.readInt8(formatAt);
  return {
    ...{ bytes, baseOffset: isAlone ? offset : Math.min(from, offset), lastOffset: offset, damage: null, compression },
    sent: isAlone ? bytes : (value ?? Buffer.alloc(0)),
    isEmpty: false,
    layout: (payload) =>
      isAlone
        ? { count: 1, firstOffset: offset, reader: (own) => new MessageReader(own, 0) }
        : layoutWithin(payload, { format, last: offset }),
    ...{ baseTimestamp: 0, maxTimestamp: timestamp, isControl: false },
    hasAppendTime: (attributes & logAppendTime) !== 0,
    context: { producerId: '-1', inTransaction: false },
  };
}
