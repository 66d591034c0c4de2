import type { HeaderItem } from '#contracts';

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
