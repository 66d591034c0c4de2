/** Bytes that do not hold what they should. The message holds no value. */
export class MalformedError extends Error {
  override readonly name = 'MalformedError';
}

const varintBytesMax = 10;
/** So many bytes of a varint fit into a number by shifts alone. */
const smallBytesMax = 4;
const payload = 0x7f;
const more = 0x80;
const bitsPerByte = 7;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads bytes that somebody else has written: no claim of theirs leads beyond the end. Little-endian, as Avro and Protobuf are. */
export class ByteReader {
  private readonly view: DataView;

  constructor(
    private readonly bytes: Uint8Array,
    private at = 0,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  byte(): number {
    const value = this.bytes[this.at];
    if (value === undefined) throw new MalformedError('ends too early');
    this.at += 1;
    return value;
  }

  /** Of the same memory. @param length what the bytes claim */
  take(length: number | bigint): Uint8Array {
    if (length < 0 || length > this.left) throw new MalformedError('ends too early');
    const start = this.at;
    this.at += Number(length);
    return this.bytes.subarray(start, this.at);
  }

  /** Of up to ten bytes, unsigned; what goes beyond 64 bits is refused. */
  varint(): number | bigint {
    let small = 0;
    for (let count = 0; count < smallBytesMax; count += 1) {
      const byte = this.byte();
      small |= (byte & payload) << (bitsPerByte * count);
      if (byte < more) return small;
    }
    return this.largeVarint(BigInt(small));
  }

  private largeVarint(begin: bigint): bigint {
    let value = begin;
    for (let count = smallBytesMax; count < varintBytesMax; count += 1) {
      const byte = this.byte();
      value |= BigInt(byte & payload) << BigInt(bitsPerByte * count);
      if (byte >= more) continue;
      if (value !== BigInt.asUintN(64, value)) break;
      return value;
    }
    throw new MalformedError('a number of more than 64 bits');
  }

  /** A signed varint, as Avro writes all whole numbers. */
  zigzag(): number | bigint {
    const value = this.varint();
    if (typeof value === 'number') return (value >>> 1) ^ -(value & 1);
    return (value >> 1n) ^ -(value & 1n);
  }

  float(): number {
    return this.view.getFloat32(this.skipped(4), true);
  }

  double(): number {
    return this.view.getFloat64(this.skipped(8), true);
  }

  fixed32(isSigned: boolean): number {
    const at = this.skipped(4);
    return isSigned ? this.view.getInt32(at, true) : this.view.getUint32(at, true);
  }

  fixed64(isSigned: boolean): bigint {
    const at = this.skipped(8);
    return isSigned ? this.view.getBigInt64(at, true) : this.view.getBigUint64(at, true);
  }

  text(length: number | bigint): string {
    try {
      return utf8.decode(this.take(length));
    } catch (error) {
      throw error instanceof MalformedError ? error : new MalformedError('text of invalid UTF-8');
    }
  }

  private skipped(length: number): number {
    if (this.left < length) throw new MalformedError('ends too early');
    const start = this.at;
    this.at += length;
    return start;
  }
}
