import { placeBatch, type RecordBatch } from './record-batch.js';

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
