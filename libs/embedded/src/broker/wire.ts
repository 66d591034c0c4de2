/** Error codes of the Kafka protocol (protocol guide, "Error Codes"), as far as this broker answers with them. */
export const errorCode = {
  none: 0,
  offsetOutOfRange: 1,
  corruptMessage: 2,
  unknownTopicOrPartition: 3,
  messageTooLarge: 10,
  invalidTopic: 17,
  illegalGeneration: 22,
  inconsistentGroupProtocol: 23,
  unknownMemberId: 25,
  rebalanceInProgress: 27,
  unsupportedVersion: 35,
  topicAlreadyExists: 36,
  invalidPartitions: 37,
  nonEmptyGroup: 68,
  groupIdNotFound: 69,
} as const;

/** `socket.request.max.bytes` of Kafka. */
const frameBytesMax = 104_857_600;
const sizeBytes = 4;

/** Cuts a stream of bytes into frames: an int32 size, then as many bytes. */
export class FrameSplitter {
  private pending: Buffer = Buffer.alloc(0);

  /** The frames that this chunk completes, without their sizes. Throws on a size that no client of ours sends. */
  push(chunk: Buffer): Buffer[] {
    let rest = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    const frames: Buffer[] = [];
    while (rest.length >= sizeBytes) {
      const size = rest.readInt32BE(0);
      if (size < 0 || size > frameBytesMax) throw new RangeError(`a frame of ${size} bytes`);
      if (rest.length < sizeBytes + size) break;
      frames.push(rest.subarray(sizeBytes, sizeBytes + size));
      rest = rest.subarray(sizeBytes + size);
    }
    this.pending = rest;
    return frames;
  }
}

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

export interface TopicItems<Item> {
  readonly topic: string;
  readonly items: readonly Item[];
}

/** Many requests list partitions by topic, and their answers mirror the list. */
export const readByTopic = <Item>(body: WireReader, read: (topic: string) => Item): TopicItems<Item>[] =>
  body.array(() => {
    const topic = body.string();
    return { topic, items: body.array(() => read(topic)) };
  });

export const writeByTopic = <Item>(
  answer: WireWriter,
  topics: readonly TopicItems<Item>[],
  write: (item: Item, topic: string) => unknown,
): WireWriter =>
  answer.array(topics, ({ topic, items }) => answer.string(topic).array(items, (item) => write(item, topic)));
