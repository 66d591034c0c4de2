import { DecompressionError } from './decompression-error.js';

const bytesMin = 4_096;
/** No announced length is believed beyond this before the bytes are there. */
const bytesHintMax = 4 * 1024 * 1024;

/**
 * Where a decompressor writes to and copies from: what it wrote is its dictionary. Never holds more than its limit, and
 * gives memory back at once where it grows, is taken or let go of: the collector would come for it much later.
 */
export class GrowingBuffer {
  private memory: ArrayBuffer;
  private bytes: Buffer<ArrayBuffer>;
  private end = 0;
  private blockStart = 0;

  /** @param bytesMax what may be written in all */
  constructor(
    bytesHint: number,
    private readonly bytesMax: number,
  ) {
    this.memory = new ArrayBuffer(Math.min(Math.max(bytesHint, bytesMin), bytesHintMax, bytesMax));
    this.bytes = Buffer.from(this.memory);
  }

  get length(): number {
    return this.end;
  }

  /** What is written from here on does not copy from what was written before. */
  beginBlock(): void {
    this.blockStart = this.end;
  }

  /** @throws {DecompressionError} `oversized`, before anything is made room for */
  append(bytes: Uint8Array): void {
    this.makeRoom(bytes.length);
    this.bytes.set(bytes, this.end);
    this.end += bytes.length;
  }

  /** Repeats `count` bytes from `distance` back; they may overlap what is being written. */
  repeat(distance: number, count: number): void {
    if (distance === 0 || distance > this.end - this.blockStart) {
      throw new DecompressionError('damaged', 'a copy from before the beginning');
    }
    this.makeRoom(count);
    const from = this.end - distance;
    const until = this.end + count;
    // What was copied lies behind what it was copied from: each round has twice as much to copy.
    while (this.end < until) {
      const copied = Math.min(this.end - from, until - this.end);
      this.bytes.copyWithin(this.end, from, from + copied);
      this.end += copied;
    }
  }

  /** What was written. The buffer is of no use afterwards. */
  take(): Buffer {
    return Buffer.from(this.memory.transfer(this.end));
  }

  /** Gives everything back. */
  letGo(): void {
    this.memory.transfer(0);
  }

  private makeRoom(count: number): void {
    const needed = this.end + count;
    if (needed <= this.bytes.length) return;
    if (needed > this.bytesMax) throw new DecompressionError('oversized', `more than ${this.bytesMax} bytes`);
    this.memory = this.memory.transfer(Math.min(this.bytesMax, Math.max(needed, this.bytes.length * 2)));
    this.bytes = Buffer.from(this.memory);
  }
}
