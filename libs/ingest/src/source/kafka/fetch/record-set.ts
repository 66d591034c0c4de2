import type { HeaderItem } from '#contracts';

import type { UndecodedBatch } from '../../source.js';
import type { Compression } from '../compression/decompress.js';
import { decompress } from '../compression/decompress.js';
import { DecompressionError } from '../compression/decompression-error.js';
import type { FoundRecord } from './record-reader.js';
import { RecordReader } from './record-reader.js';

/** Bytes of records that one answer is taken apart into: what is left of it is fetched again. */
export const decodedBytesMax = 16 * 1024 * 1024;
/** Records of one answer: tiny ones weigh far more than their bytes once they are taken apart. */
export const decodedRecordsMax = 50_000;
/** A larger record is not taken out of its batch. Events are refused from 1 MiB on, and kept as they are up to here. */
export const takenRecordBytesMax = 8 * 1024 * 1024;

/** A record as KafkaJS wants it (src/protocol/recordBatch/record/v0/decoder.js, 2.2.4), or what stands for a whole batch. */
export interface KafkaRecord {
  readonly magicByte: number;
  readonly attributes: number;
  readonly timestamp: string;
  readonly offset: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, HeaderItem | readonly HeaderItem[]>>;
  readonly isControlRecord: boolean;
  readonly batchContext: { readonly producerId: string; readonly inTransaction: boolean };
  readonly undecoded?: UndecodedBatch;
}

// Layout of a batch, format 2: base offset int64, length int32, leader epoch int32, magic int8, crc int32,
// attributes int16, last offset delta int32, base timestamp int64, max timestamp int64, producer id int64,
// producer epoch int16, base sequence int32, records int32, then the records.
const lengthStart = 12;
const headerBytes = 61;
const magic = 2;
const flags = { compression: 0x07, logAppendTime: 0x08, transactional: 0x10, control: 0x20 };
const compressions: readonly (Compression | null | undefined)[] = [null, 'gzip', 'snappy', 'lz4', 'zstd'];

interface RecordBatch {
  /** All of it. */
  readonly bytes: Buffer;
  readonly baseOffset: number;
  readonly lastOffset: number;
  /** `null`: not compressed; `undefined`: by something that nobody knows. */
  readonly compression: Compression | null | undefined;
  readonly baseTimestamp: number;
  readonly maxTimestamp: number;
  readonly hasAppendTime: boolean;
  readonly isControl: boolean;
  readonly context: KafkaRecord['batchContext'];
  readonly count: number;
}

function readBatch(bytes: Buffer): RecordBatch {
  const attributes = bytes.readInt16BE(21);
  const baseOffset = Number(bytes.readBigInt64BE(0));
  return {
    bytes,
    baseOffset,
    lastOffset: baseOffset + bytes.readInt32BE(23),
    compression: compressions[attributes & flags.compression],
    baseTimestamp: Number(bytes.readBigInt64BE(27)),
    maxTimestamp: Number(bytes.readBigInt64BE(35)),
    hasAppendTime: (attributes & flags.logAppendTime) !== 0,
    isControl: (attributes & flags.control) !== 0,
    context: {
      producerId: String(bytes.readBigInt64BE(43)),
      inTransaction: (attributes & flags.transactional) !== 0,
    },
    count: bytes.readInt32BE(57),
  };
}

/** The whole batches of a record set; brokers cut the last one off where they like. */
function* batchesOf(set: Buffer): Generator<RecordBatch> {
  for (let start = 0; start + headerBytes <= set.length;) {
    const end = start + lengthStart + set.readInt32BE(start + 8);
    if (end > set.length) return;
    if (end < start + headerBytes) throw new Error('a record batch shorter than its own header');
    yield readBatch(set.subarray(start, end));
    start = end;
  }
}

/** A set of the format before 2. */
export function isOldFormat(set: Buffer): boolean {
  return set.length >= headerBytes && set.readInt8(16) < magic;
}

/** What one answer of a broker may still grow to in memory, over all of its partitions. */
export class AnswerBudget {
  private bytesLeft = decodedBytesMax;
  private recordsLeft = decodedRecordsMax;
  private workLeft: number;

  /** @param batchBytesMax what one record batch may grow to; an answer's batches together are begun up to it */
  constructor(readonly batchBytesMax: number) {
    this.workLeft = batchBytesMax;
  }

  get isUsedUp(): boolean {
    return this.workLeft <= 0 || !this.hasRoom;
  }

  get hasRoom(): boolean {
    return this.bytesLeft > 0 && this.recordsLeft > 0;
  }

  decompressed(bytes: number): void {
    this.workLeft -= bytes;
  }

  taken(bytes: number): void {
    this.bytesLeft -= bytes;
    this.recordsLeft -= 1;
  }
}

type Undecoded = Omit<UndecodedBatch, 'bytes'> & { readonly lastOffset: number };

/** Records of a batch that lie side by side, and what becomes of those behind them. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Set: what comes next in the batch cannot be taken out of it. */
  readonly undecoded: Undecoded | null;
  /** The rest of the batch is left to the next fetch. */
  readonly isCut: boolean;
}

/** Takes one record set apart from an offset on, within a budget. */
class RecordSetDecoder {
  private readonly records: KafkaRecord[] = [];
  /** The last offset of the batches that need not be looked at again. */
  private seenUpTo = -1;

  constructor(
    private readonly fromOffset: number,
    private readonly budget: AnswerBudget,
  ) {}

  async decode(set: Buffer): Promise<KafkaRecord[]> {
    for (const batch of batchesOf(set)) {
      if (batch.lastOffset < this.fromOffset) continue;
      if (this.budget.isUsedUp || !(await this.add(batch))) break;
      this.seenUpTo = batch.lastOffset;
    }
    if (this.records.length === 0 && this.seenUpTo >= this.fromOffset) this.passOver();
    return this.records;
  }

  /**
   * Compaction took all that there was: KafkaJS goes beyond control records, and would otherwise ask for the same for ever.
   * The first and the last offset, so that it is known from where to where.
   */
  private passOver(): void {
    const nothing = { magicByte: magic, attributes: 0, timestamp: '0', key: null, value: null, headers: {} };
    const batchContext = { producerId: '-1', inTransaction: false };
    for (const offset of [this.fromOffset, this.seenUpTo]) {
      this.records.push({ ...nothing, offset: String(offset), isControlRecord: true, batchContext });
    }
  }

  /** @returns false where the rest is left to the next fetch */
  private async add(batch: RecordBatch): Promise<boolean> {
    if (batch.count <= 0) return true;
    const payload = await this.payloadOf(batch);
    if (payload === null) return true;
    const span = this.scan(batch, payload);
    if (!this.take(batch, span, this.kept(payload, span, batch))) return true;
    if (span.undecoded !== null) this.setAside(batch, span.undecoded);
    return !span.isCut;
  }

  /** The batch's records, decompressed; null where the whole batch is set aside. */
  private async payloadOf(batch: RecordBatch): Promise<Buffer | null> {
    const { compression, bytes } = batch;
    const { batchBytesMax } = this.budget;
    const sent = bytes.subarray(headerBytes);
    try {
      if (compression === undefined) throw new DecompressionError('damaged', 'an unknown compression');
      if (compression === null) {
        if (sent.length > batchBytesMax) throw new DecompressionError('oversized', `more than ${batchBytesMax} bytes`);
        return sent;
      }
      const payload = await decompress(compression, sent, batchBytesMax);
      this.budget.decompressed(payload.length);
      return payload;
    } catch (error) {
      if (!(error instanceof DecompressionError)) throw error;
      this.budget.decompressed(batchBytesMax);
      const reason = error.kind === 'oversized' ? 'oversized' : 'unreadable';
      const what = `${compression ?? 'records'}: ${error.message}; ${bytes.length} bytes as sent`;
      const detail = `record batch, offsets ${batch.baseOffset} to ${batch.lastOffset}: ${what}`;
      this.setAside(batch, { reason, detail, firstOffset: this.firstOf(batch), lastOffset: batch.lastOffset });
      return null;
    }
  }

  private firstOf({ baseOffset }: RecordBatch): number {
    return Math.max(baseOffset, this.fromOffset);
  }

  /** Finds what is to be taken of a batch without taking anything apart. At least one record, so that each fetch gets on. */
  private scan(batch: RecordBatch, payload: Buffer): Span {
    const reader = new RecordReader(payload);
    let [from, count, next] = [0, 0, batch.baseOffset];
    for (let index = 0; index < batch.count; index += 1) {
      const span = { from, to: reader.position, count, undecoded: null, isCut: true };
      const found = reader.peek(batch.baseOffset);
      if (found === null || found.offset < next || found.offset > batch.lastOffset) {
        return { ...span, undecoded: this.damaged(batch, Math.max(next, this.fromOffset)), isCut: false };
      }
      next = found.offset + 1;
      reader.skip(found);
      if (found.offset < this.fromOffset) {
        from = reader.position;
      } else if (found.bytes > takenRecordBytesMax) {
        return count > 0 ? span : { ...span, undecoded: tooLarge(found), isCut: index + 1 < batch.count };
      } else if (count > 0 && !this.budget.hasRoom) {
        return span;
      } else {
        this.budget.taken(found.bytes);
        count += 1;
      }
    }
    return { from, to: reader.position, count, undecoded: null, isCut: false };
  }

  private damaged({ baseOffset, lastOffset }: RecordBatch, firstOffset: number): Undecoded {
    const detail = `record batch, offsets ${baseOffset} to ${lastOffset}: damaged from ${firstOffset} on`;
    return { reason: 'unreadable', detail, firstOffset, lastOffset };
  }

  /** What is taken is copied out of a batch of which the rest would be kept with it. */
  private kept(payload: Buffer, { from, to }: Span, { compression }: RecordBatch): Buffer {
    const wanted = payload.subarray(from, to);
    if (compression === null || wanted.length * 2 > payload.length) return wanted;
    const copy = Buffer.from(wanted);
    // Ours alone, and large: given back at once.
    (payload.buffer as ArrayBuffer).transfer(0);
    return copy;
  }

  /** @returns false where one could not be read, and everything from there on is set aside */
  private take(batch: RecordBatch, { count }: Span, bytes: Buffer): boolean {
    const reader = new RecordReader(bytes);
    let next = this.firstOf(batch);
    for (let index = 0; index < count; index += 1) {
      const record = reader.read(batch.baseOffset);
      if (record === null) {
        this.setAside(batch, this.damaged(batch, next));
        return false;
      }
      const { timestampDelta, offset, ...rest } = record;
      next = offset + 1;
      const timestamp = batch.hasAppendTime ? batch.maxTimestamp : batch.baseTimestamp + timestampDelta;
      this.records.push({
        magicByte: magic,
        ...rest,
        timestamp: String(timestamp),
        offset: String(offset),
        isControlRecord: batch.isControl,
        batchContext: batch.context,
      });
    }
    return true;
  }

  private setAside(batch: RecordBatch, { lastOffset, ...undecoded }: Undecoded): void {
    this.budget.taken(batch.bytes.length);
    this.records.push({
      magicByte: magic,
      attributes: 0,
      timestamp: String(batch.maxTimestamp),
      offset: String(lastOffset),
      key: null,
      value: null,
      headers: {},
      isControlRecord: false,
      batchContext: batch.context,
      undecoded: { ...undecoded, bytes: batch.bytes },
    });
  }
}

function tooLarge({ offset, bytes }: FoundRecord): Undecoded {
  const detail = `record at offset ${offset}: ${bytes} bytes, more than ${takenRecordBytesMax}`;
  return { reason: 'oversized', detail, firstOffset: offset, lastOffset: offset };
}

/**
 * Takes the record set of one partition apart from an offset on, as far as the answer's budget goes: what is left is
 * fetched again, and nothing is passed over. A batch that grows beyond its limit, or cannot be read, becomes one
 * record that stands for all of its own.
 */
export function decodeRecordSet(set: Buffer, fromOffset: number, budget: AnswerBudget): Promise<KafkaRecord[]> {
  return new RecordSetDecoder(fromOffset, budget).decode(set);
}
