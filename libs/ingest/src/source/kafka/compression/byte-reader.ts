import { DecompressionError } from './decompression-error.js';

/** Reads on through bytes; refuses to read beyond their end. */
export class ByteReader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** The next `count` bytes, as a view. */
  take(count: number): Buffer {
    if (this.at + count > this.bytes.length) {
      throw new DecompressionError('damaged', 'the compressed data ends too early');
    }
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  byte(): number {
    return this.take(1).readUInt8(0);
  }

  /** Unsigned, little-endian, 1 to 4 bytes. */
  uintLE(bytes: number): number {
    return this.take(bytes).readUIntLE(0, bytes);
  }

  uint32BE(): number {
    return this.take(4).readUInt32BE(0);
  }
}
