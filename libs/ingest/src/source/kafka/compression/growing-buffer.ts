import { DecompressionError, decompressedBytesMax } from './decompression-error.js';

const bytesMin = 4_096;
/** No announced length is believed beyond this before the bytes are there. */
const bytesHintMax = 4 * 1024 * 1024;

/** Where a decompressor writes to and copies from: what it wrote is its dictionary. */
export class GrowingBuffer {
  private buffer: Buffer;
  private end = 0;

  constructor(bytesHint: number) {
    this.buffer = Buffer.allocUnsafe(Math.min(Math.max(bytesHint, bytesMin), bytesHintMax));
  }

  /** What was written. */
  get written(): Buffer {
    return this.buffer.subarray(0, this.end);
  }

  append(bytes: Uint8Array): void {
    this.makeRoom(bytes.length);
    this.buffer.set(bytes, this.end);
    this.end += bytes.length;
  }

  /** Repeats `count` bytes from `distance` back; they may overlap what is being written. */
  repeat(distance: number, count: number): void {
    if (distance === 0 || distance > this.end) throw new DecompressionError('a copy from before the beginning');
    this.makeRoom(count);
    const from = this.end - distance;
    if (distance >= count) this.buffer.copyWithin(this.end, from, from + count);
    else for (let index = 0; index < count; index += 1) this.buffer[this.end + index] = this.buffer[from + index] ?? 0;
    this.end += count;
  }

  private makeRoom(bytes: number): void {
    const needed = this.end + bytes;
    if (needed <= this.buffer.length) return;
    if (needed > decompressedBytesMax) throw new DecompressionError(`more than ${decompressedBytesMax} bytes`);
    const larger = Buffer.allocUnsafe(Math.min(decompressedBytesMax, Math.max(needed, this.buffer.length * 2)));
    this.buffer.copy(larger, 0, 0, this.end);
    this.buffer = larger;
  }
}
