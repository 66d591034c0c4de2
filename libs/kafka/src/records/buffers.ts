/** Compressed records that do not decompress: `damaged`, or `oversized`: larger than we are willing to take. */
export class DecompressionError extends Error {
  override readonly name = 'DecompressionError';

  constructor(
    readonly kind: 'damaged' | 'oversized',
    message: string,
  ) {
    super(message);
  }
}

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

const bytesMin = 4_096;

interface BufferLimits {
  /** What may be written in all. */
  readonly bytesMax: number;
  /** Beyond it nothing is kept: what is written is only counted. By default the same. */
  readonly keptBytesMax?: number;
}

/**
 * Where a decompressor writes to and copies from: what it wrote is its dictionary. It never holds more than its limits, and
 * gives memory back at once where it grows, is taken or let go of: the collector would come for it much later.
 */
export class GrowingBuffer {
  private memory: ArrayBuffer;
  private bytes: Buffer<ArrayBuffer>;
  private end = 0;
  private blockStart = 0;
  private readonly bytesMax: number;
  private readonly keptBytesMax: number;

  /** @param bytesHint believed, within the limits */
  constructor(bytesHint: number, { bytesMax, keptBytesMax = bytesMax }: BufferLimits) {
    this.bytesMax = bytesMax;
    this.keptBytesMax = Math.min(bytesMax, keptBytesMax);
    this.memory = new ArrayBuffer(Math.min(Math.max(bytesHint, bytesMin), this.keptBytesMax));
    this.bytes = Buffer.from(this.memory);
  }

  get length(): number {
    return this.end;
  }

  /** Whether all that was written is still there. */
  get isWhole(): boolean {
    return this.end <= this.keptBytesMax;
  }

  /** Bytes of memory that it has taken and not given back. */
  get heldBytes(): number {
    return this.memory.byteLength;
  }

  /** What is written from here on does not copy from what was written before. */
  beginBlock(): void {
    this.blockStart = this.end;
  }

  /** @throws {DecompressionError} `oversized`, before anything is made room for */
  append(bytes: Uint8Array): void {
    if (this.makeRoom(bytes.length)) this.bytes.set(bytes, this.end);
    this.end += bytes.length;
  }

  /** Repeats `count` bytes from `distance` back; they may overlap what is being written. */
  repeat(distance: number, count: number): void {
    if (distance === 0 || distance > this.end - this.blockStart) {
      throw new DecompressionError('damaged', 'a copy from before the beginning');
    }
    if (this.makeRoom(count)) this.copy(this.end - distance, count);
    this.end += count;
  }

  /** What was written. The buffer is of no use afterwards. */
  take(): Buffer {
    return Buffer.from(this.memory.transfer(this.end));
  }

  /** Gives everything back. */
  letGo(): void {
    this.memory = this.memory.transfer(0);
    this.bytes = Buffer.from(this.memory);
  }

  /** What was copied lies behind what it was copied from: each round has twice as much to copy. */
  private copy(from: number, count: number): void {
    const until = this.end + count;
    for (let at = this.end; at < until;) {
      const copied = Math.min(at - from, until - at);
      this.bytes.copyWithin(at, from, from + copied);
      at += copied;
    }
  }

  /** @returns whether what comes is kept */
  private makeRoom(count: number): boolean {
    const needed = this.end + count;
    if (needed > this.bytesMax) throw new DecompressionError('oversized', `more than ${this.bytesMax} bytes`);
    if (needed > this.keptBytesMax) {
      if (this.bytes.length > 0) this.letGo();
      return false;
    }
    if (needed > this.bytes.length) {
      this.memory = this.memory.transfer(Math.min(this.keptBytesMax, Math.max(needed, this.bytes.length * 2)));
      this.bytes = Buffer.from(this.memory);
    }
    return true;
  }
}
