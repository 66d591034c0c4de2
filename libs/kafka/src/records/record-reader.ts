import type { FetchedRecord, HeaderItem, UndecodedBatch } from '../driver.js';
import type { Compression } from './decompress.js';

/** The newest format, as KafkaJS names it. */
export const magic = 2;

const compressions: readonly (Compression | null | undefined)[] = [null, 'gzip', 'snappy', 'lz4', 'zstd'];

/** What the attributes of a batch say; `null`: not compressed, `undefined`: by an unknown codec. */
export function compressionOf(attributes: number): Compression | null | undefined {
  return compressions[attributes & 0x07];
}

/** Records of a batch, one after the other; never beyond their bytes, whatever these say. */
export interface RecordsReader {
  readonly position: number;
  /** The next record's place; null where none within these offsets can be there. Stays where it is. */
  peek(offsets: Offsets): FoundRecord | null;
  skip(found: FoundRecord): void;
  /** The next record; null where it cannot be read. */
  read(baseOffset: number): ReadRecord | null;
}

/** How the records of a batch lie in its payload. */
export interface RecordLayout {
  readonly count: number;
  readonly firstOffset: number;
  /** Reads the payload, or a part of it that begins with a record. */
  readonly reader: (bytes: Buffer) => RecordsReader;
}

/** The head of a record batch, of whichever format. */
export interface RecordBatch {
  /** All of it. */
  readonly bytes: Buffer;
  readonly baseOffset: number;
  readonly lastOffset: number;
  /** Why nothing of it can be believed; its offsets are then what is sure. */
  readonly damage: string | null;
  readonly compression: ReturnType<typeof compressionOf>;
  /** Its records, as they were sent. */
  readonly sent: Buffer;
  /** Compaction has left nothing of it. */
  readonly isEmpty: boolean;
  /** Knows how the records lie once they are decompressed. */
  readonly layout: (payload: Buffer) => RecordLayout;
  readonly baseTimestamp: number;
  readonly maxTimestamp: number;
  readonly hasAppendTime: boolean;
  readonly isControl: boolean;
  /** As KafkaJS tells what belongs to an aborted transaction. */
  readonly context: { readonly producerId: string; readonly inTransaction: boolean };
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

/** What is left of a record once KafkaJS has passed it on as its own message. */
type PassedOn = Pick<KafkaRecord, 'offset' | 'timestamp' | 'key' | 'value' | 'undecoded' | 'isAppendTime'> & {
  readonly headers?: FetchedRecord['headers'];
};

/** Offsets stay exact: they are counted one by one and do not reach 2^53. */
export function toFetchedRecord(message: PassedOn): FetchedRecord {
  const { undecoded, isAppendTime } = message;
  return {
    offset: Number(message.offset),
    brokerAt: Number(message.timestamp),
    key: message.key,
    value: message.value,
    headers: message.headers,
    ...(isAppendTime === undefined ? {} : { isAppendTime }),
    ...(undecoded === undefined ? {} : { undecoded }),
  };
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

export interface ReadRecord {
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
export class RecordReader implements RecordsReader {
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
