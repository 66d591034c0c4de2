/** One record batch as it travels and is stored; only its first field, the base offset, is ours to write. */
interface RecordBatch {
  readonly bytes: Buffer;
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly baseTimestamp: number;
  readonly maxTimestamp: number;
}

// Layout of a batch, format 2: base offset int64, length int32, leader epoch int32, magic int8, crc int32,
// attributes int16, last offset delta int32, base timestamp int64, max timestamp int64, ...
const lengthAt = 8;
const lengthStart = 12;
const magicAt = 16;
const lastOffsetDeltaAt = 23;
const baseTimestampAt = 27;
const maxTimestampAt = 35;
const headerBytes = 61;
const supportedMagic = 2;

/** Cuts what a producer sent into its batches. `undefined` if it is not made of whole batches of format 2. */
export const splitBatches = (records: Buffer): Buffer[] | undefined => {
  const batches: Buffer[] = [];
  let start = 0;
  while (start < records.length) {
    if (records.length - start < headerBytes) return undefined;
    const end = start + lengthStart + records.readInt32BE(start + lengthAt);
    if (end > records.length || end < start + headerBytes) return undefined;
    if (records.readInt8(start + magicAt) !== supportedMagic) return undefined;
    batches.push(records.subarray(start, end));
    start = end;
  }
  return batches;
};

/** The batch at its place in the log: a copy with its base offset, which the checksum does not cover. */
const placeBatch = (sent: Buffer, baseOffset: number): RecordBatch => {
  const bytes = Buffer.from(sent);
  bytes.writeBigInt64BE(BigInt(baseOffset), 0);
  return {
    bytes,
    baseOffset,
    lastOffset: baseOffset + bytes.readInt32BE(lastOffsetDeltaAt),
    baseTimestamp: Number(bytes.readBigInt64BE(baseTimestampAt)),
    maxTimestamp: Number(bytes.readBigInt64BE(maxTimestampAt)),
  };
};

/** Beyond this the oldest batches are dropped, as a broker's retention does. */
export const partitionBytesMax = 64 * 1024 * 1024;

/** The records of one partition, in memory. */
export class PartitionLog {
  private batches: RecordBatch[] = [];
  private bytes = 0;
  /** Offset of the next record. */
  private end = 0;

  /** The first offset still there. */
  get startOffset(): number {
    return this.batches[0]?.baseOffset ?? this.end;
  }

  get endOffset(): number {
    return this.end;
  }

  /** Returns the offset of the first record. */
  append(sent: readonly Buffer[]): number {
    const first = this.end;
    for (const each of sent) {
      const batch = placeBatch(each, this.end);
      this.batches.push(batch);
      this.bytes += batch.bytes.length;
      this.end = batch.lastOffset + 1;
    }
    this.dropOldest();
    return first;
  }

  /** Whole batches from the one that holds `offset`, up to `bytesMax` but at least one. */
  read(offset: number, bytesMax: number): Buffer[] {
    const found: Buffer[] = [];
    let size = 0;
    for (let index = this.indexOf(offset); index < this.batches.length; index += 1) {
      const bytes = this.batches[index]?.bytes ?? Buffer.alloc(0);
      if (found.length > 0 && size + bytes.length > bytesMax) break;
      found.push(bytes);
      size += bytes.length;
    }
    return found;
  }

  /** The first batch with a record at or after `timestamp` (epoch ms): exact to the batch, not to the record. */
  findByTime(timestamp: number): RecordBatch | undefined {
    return this.batches.find((batch) => batch.maxTimestamp >= timestamp);
  }

  /** Index of the first batch that ends at or after `offset`. */
  private indexOf(offset: number): number {
    let [low, high] = [0, this.batches.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.batches[middle]?.lastOffset ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private dropOldest(): void {
    let dropped = 0;
    while (this.bytes > partitionBytesMax && dropped < this.batches.length - 1) {
      this.bytes -= this.batches[dropped]?.bytes.length ?? 0;
      dropped += 1;
    }
    if (dropped > 0) this.batches = this.batches.slice(dropped);
  }
}

export const partitionsDefault = 4;
const validName = /^[a-zA-Z0-9._-]{1,249}$/;

export const isValidTopicName = (name: string): boolean => validName.test(name) && name !== '.' && name !== '..';

/** All topics of the broker, and a bell that rings when records arrive. */
export class TopicStore {
  private readonly topics = new Map<string, PartitionLog[]>();
  private listeners = new Set<() => void>();

  names(): string[] {
    return [...this.topics.keys()];
  }

  partitions(topic: string): readonly PartitionLog[] | undefined {
    return this.topics.get(topic);
  }

  log(topic: string, partition: number): PartitionLog | undefined {
    return this.topics.get(topic)?.[partition];
  }

  create(topic: string, partitions: number): void {
    const logs = Array.from({ length: partitions }, () => new PartitionLog());
    this.topics.set(topic, logs);
  }

  /** Creates it with the default number of partitions unless it exists; false for a name that no topic can have. */
  provide(topic: string): boolean {
    if (!isValidTopicName(topic)) return false;
    if (!this.topics.has(topic)) this.create(topic, partitionsDefault);
    return true;
  }

  delete(topic: string): boolean {
    return this.topics.delete(topic);
  }

  /** Tells those who wait that some log has grown. */
  ring(): void {
    const waiting = this.listeners;
    this.listeners = new Set();
    for (const listener of waiting) listener();
  }

  /** Resolves with the next ring, or after `timeoutMs`. */
  nextRing(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const listener = (): void => {
        clearTimeout(timer);
        this.listeners.delete(listener);
        resolve();
      };
      const timer = setTimeout(listener, Math.max(0, timeoutMs));
      timer.unref();
      this.listeners.add(listener);
    });
  }
}
