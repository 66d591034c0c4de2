/** Writes the primitive types of the Kafka protocol, non-flexible versions. Every method returns the writer. */
export class WireWriter {
  private readonly parts: Buffer[] = [];

  int8(value: number): this {
    const part = Buffer.allocUnsafe(1);
    part.writeInt8(value);
    return this.raw(part);
  }

  int16(value: number): this {
    const part = Buffer.allocUnsafe(2);
    part.writeInt16BE(value);
    return this.raw(part);
  }

  int32(value: number): this {
    const part = Buffer.allocUnsafe(4);
    part.writeInt32BE(value);
    return this.raw(part);
  }

  int64(value: number): this {
    const part = Buffer.allocUnsafe(8);
    part.writeBigInt64BE(BigInt(value));
    return this.raw(part);
  }

  boolean(value: boolean): this {
    return this.int8(value ? 1 : 0);
  }

  string(value: string | null): this {
    if (value === null) return this.int16(-1);
    const bytes = Buffer.from(value, 'utf8');
    return this.int16(bytes.length).raw(bytes);
  }

  bytes(value: Buffer): this {
    return this.int32(value.length).raw(value);
  }

  array<T>(items: readonly T[], write: (item: T) => unknown): this {
    this.int32(items.length);
    for (const item of items) write(item);
    return this;
  }

  raw(part: Buffer): this {
    this.parts.push(part);
    return this;
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.parts);
  }
}
