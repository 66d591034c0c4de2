/** Reads the primitive types of the Kafka protocol (protocol guide, "Protocol Primitive Types"), non-flexible versions. */
export class WireReader {
  private position = 0;

  constructor(private readonly buffer: Buffer) {}

  int8(): number {
    return this.buffer.readInt8(this.advance(1));
  }

  int16(): number {
    return this.buffer.readInt16BE(this.advance(2));
  }

  int32(): number {
    return this.buffer.readInt32BE(this.advance(4));
  }

  /** Offsets and milliseconds: they fit a safe integer. */
  int64(): number {
    return Number(this.buffer.readBigInt64BE(this.advance(8)));
  }

  boolean(): boolean {
    return this.int8() !== 0;
  }

  string(): string {
    return this.nullableString() ?? '';
  }

  nullableString(): string | null {
    const length = this.int16();
    return length < 0 ? null : this.slice(length).toString('utf8');
  }

  /** Empty for null. */
  bytes(): Buffer {
    const length = this.int32();
    return length < 0 ? Buffer.alloc(0) : this.slice(length);
  }

  array<T>(item: () => T): T[] {
    return this.nullableArray(item) ?? [];
  }

  nullableArray<T>(item: () => T): T[] | null {
    const length = this.int32();
    if (length < 0) return null;
    const items: T[] = [];
    for (let index = 0; index < length; index += 1) items.push(item());
    return items;
  }

  private slice(length: number): Buffer {
    const start = this.advance(length);
    return this.buffer.subarray(start, start + length);
  }

  private advance(length: number): number {
    const start = this.position;
    if (start + length > this.buffer.length) throw new RangeError('the request is shorter than it says');
    this.position = start + length;
    return start;
  }
}
