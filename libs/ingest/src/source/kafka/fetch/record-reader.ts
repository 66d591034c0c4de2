import type { HeaderItem } from '#contracts';
import type { UndecodedBatch } from '../../source.js';
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

/** A record as KafkaJS wants it (src/protocol/recordBatch/record/v0/decoder.js, 2.2.4), or what stands for a whole batch. */
export interface KafkaRecord {
  readonly magicByte: number;
  readonly attributes: number;
  readonly timestamp: string;
  /** The broker's clock has set it. */
  readonly isAppendTime?: true;
  readonly offset: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, HeaderItem | readonly HeaderItem[]>>;
  readonly isControlRecord: boolean;
  readonly batchContext: RecordBatch['context'];
  readonly undecoded?: UndecodedBatch;
}

/** What is set aside, up to which offset. */
export type Undecoded = Omit<UndecodedBatch, 'bytes'> & { readonly lastOffset: number };

const nothing = { magicByte: magic, attributes: 0, key: null, value: null, headers: {} };

/** What stands for the records of a batch that are not taken out of it. */
export function standIn(batch: RecordBatch, { lastOffset, ...undecoded }: Undecoded): KafkaRecord {
  return {
    ...nothing,
    timestamp: String(batch.maxTimestamp),
    offset: String(lastOffset),
    isControlRecord: false,
    batchContext: batch.context,
    undecoded: { ...undecoded, bytes: batch.bytes },
  };
}

/** What KafkaJS passes over. */
export function nothingAt(offset: number): KafkaRecord {
  const batchContext = { producerId: '-1', inTransaction: false };
  return { ...nothing, timestamp: '0', offset: String(offset), isControlRecord: true, batchContext };
}

/** A record with more is not read: they weigh far more than their bytes. */
export const recordHeadersMax = 10_000;

const shiftMax = 63;

/** Where a record lies, before anything of it is taken. */
export interface FoundRecord {
  readonly offset: number;
  readonly bytes: number;
  readonly end: number;
}

interface ReadRecord {
  readonly attributes: number;
  readonly timestampDelta: number;
  readonly offset: number;
  /** Views, as `value` and those of the headers are. */
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, HeaderItem | readonly HeaderItem[]>>;
}

interface Offsets {
  readonly baseOffset: number;
  readonly offsetMin: number;
  readonly offsetMax: number;
}

class DamagedRecordError extends Error {}

/**
 * Reads the records of a batch of format 2, one after the other: length, attributes int8, timestamp delta, offset delta, key,
 * value, headers; numbers are zigzag varints. Never reads beyond a record, whatever its bytes say.
 */
export class RecordReader {
  private at = 0;
  private end: number;

  constructor(private readonly bytes: Buffer) {
    this.end = bytes.length;
  }

  get position(): number {
    return this.at;
  }

  skip({ end }: FoundRecord): void {
    this.at = end;
  }

  /** The next record's place; null where none within these offsets can be there. Stays where it is. */
  peek({ baseOffset, offsetMin, offsetMax }: Offsets): FoundRecord | null {
    const start = this.at;
    try {
      const end = this.enter();
      this.at += 1;
      this.varint();
      const offset = baseOffset + this.varint();
      return offset < offsetMin || offset > offsetMax ? null : { offset, bytes: end - start, end };
    } catch (error) {
      if (error instanceof DamagedRecordError) return null;
      throw error;
    } finally {
      this.leave(start);
    }
  }

  /** The next record; null where it cannot be read, or has too many headers. */
  read(baseOffset: number): ReadRecord | null {
    try {
      const end = this.enter();
      const attributes = this.byte();
      const timestampDelta = this.varint();
      const offset = baseOffset + this.varint();
      const record = {
        attributes,
        timestampDelta,
        offset,
        key: this.part(),
        value: this.part(),
        headers: this.headers(),
      };
      this.leave(end);
      return record;
    } catch (error) {
      if (error instanceof DamagedRecordError) return null;
      throw error;
    }
  }

  /** @returns where the record ends; nothing is read beyond it */
  private enter(): number {
    const length = this.varint();
    const end = this.at + length;
    if (length < 0 || end > this.bytes.length) throw new DamagedRecordError();
    this.end = end;
    return end;
  }

  private leave(to: number): void {
    this.at = to;
    this.end = this.bytes.length;
  }

  private byte(): number {
    if (this.at >= this.end) throw new DamagedRecordError();
    const byte = this.bytes[this.at] ?? 0;
    this.at += 1;
    return byte;
  }

  private varint(): number {
    let byte = this.byte();
    let number = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      if (shift > shiftMax) throw new DamagedRecordError();
      byte = this.byte();
      number += (byte & 0x7f) * 2 ** shift;
    }
    return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
  }

  private take(length: number): Buffer {
    const start = this.at;
    if (length < 0 || start + length > this.end) throw new DamagedRecordError();
    this.at += length;
    return this.bytes.subarray(start, this.at);
  }

  private part(): Buffer | null {
    const length = this.varint();
    return length === -1 ? null : this.take(length);
  }

  /** As KafkaJS hands them over: several values under one name as a list. */
  private headers(): ReadRecord['headers'] {
    const count = this.varint();
    if (count < 0 || count > recordHeadersMax) throw new DamagedRecordError();
    const headers = new Map<string, HeaderItem | HeaderItem[]>();
    for (let index = 0; index < count; index += 1) {
      const name = this.take(this.varint()).toString('utf8');
      const value = this.part();
      const others = headers.get(name);
      if (others === undefined) headers.set(name, value);
      else if (Array.isArray(others)) others.push(value);
      else headers.set(name, [others, value]);
    }
    return Object.fromEntries(headers);
  }
}
