import { DecompressionError } from './buffers.js';
import { decompress } from './decompress.js';
import { batchesOf, type Bounds } from './record-batches.js';
import {
  magic,
  nothingAt,
  standIn,
  type FoundRecord,
  type KafkaRecord,
  type RecordBatch,
  type RecordLayout,
  type Undecoded,
} from './record-reader.js';

/** What one answer of a broker is taken apart into; what is left of it is fetched again. */
interface AnswerLimits {
  /** Of records. */
  readonly bytesMax: number;
  /** Tiny records weigh far more than their bytes once they are taken apart. */
  readonly recordsMax: number;
}

const mebibyte = 1024 * 1024;
/** What all answers that a process may hold at a time are taken apart into, together. */
const processLimits: AnswerLimits = { bytesMax: 32 * mebibyte, recordsMax: 100_000 };
/** One answer gets so much at most, and at least, however many there may be. */
const answerLimitsMax: AnswerLimits = { bytesMax: 16 * mebibyte, recordsMax: 50_000 };
/** In so many pieces a batch as large as allowed is taken apart, unless they can be smaller than an answer. */
const piecesOfBatch = 8;
const answerLimitsMin: AnswerLimits = { bytesMax: mebibyte, recordsMax: 2_000 };

/** Records that are taken at a time from a batch that is read whole: it is decompressed anew each time. */
export function pieceLimits(batchBytesMax: number): AnswerLimits {
  return { ...answerLimitsMax, bytesMax: Math.max(answerLimitsMax.bytesMax, Math.ceil(batchBytesMax / piecesOfBatch)) };
}

/** @param answers how many a process may hold at a time: one from each broker */
export function answerLimits(answers: number): AnswerLimits {
  const share = (of: keyof AnswerLimits): number => {
    const fair = Math.floor(processLimits[of] / answers);
    return Math.min(answerLimitsMax[of], Math.max(answerLimitsMin[of], fair));
  };
  return { bytesMax: share('bytesMax'), recordsMax: share('recordsMax') };
}

/** What one answer of a broker may still grow to in memory, over all of its partitions. */
export class AnswerBudget {
  private bytesLeft: number;
  private recordsLeft: number;
  private workLeft: number;

  /** @param batchBytesMax what one record batch may grow to; an answer's batches together are begun up to it */
  constructor(
    readonly batchBytesMax: number,
    { bytesMax, recordsMax }: AnswerLimits = answerLimitsMax,
  ) {
    this.bytesLeft = bytesMax;
    this.recordsLeft = recordsMax;
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

/** A larger record is not taken out of its batch. Events are refused from 1 MiB on, and kept as they are up to here. */
export const takenRecordBytesMax = 8 * 1024 * 1024;

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

/** What is cut out of a batch, before it is taken apart. */
interface CutOut {
  readonly span: Span;
  readonly bytes: Buffer;
  readonly layout: RecordLayout;
}

/** Takes one record set apart from an offset on, within a budget. */
class RecordSetDecoder {
  private readonly records: KafkaRecord[] = [];
  /** The last offset of the batches that need not be looked at again. */
  private seenUpTo = -1;
  private readonly fromOffset: number;

  constructor(
    private readonly bounds: Bounds,
    private readonly budget: AnswerBudget,
  ) {
    this.fromOffset = bounds.from;
  }

  async decode(set: Buffer): Promise<KafkaRecord[]> {
    for (const batch of batchesOf(set, this.bounds)) {
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
    for (const offset of [this.fromOffset, this.seenUpTo]) this.records.push(nothingAt(offset));
  }

  /** @returns false where the rest is left to the next fetch */
  private async add(batch: RecordBatch): Promise<boolean> {
    if (batch.isEmpty) return true;
    const cut = await this.cutOut(batch);
    if (cut === null) return true;
    if (!this.take(batch, cut)) return true;
    if (cut.span.undecoded !== null) this.setAside(batch, cut.span.undecoded);
    return !cut.span.isCut;
  }

  /** What is wanted of the batch's records, decompressed; null where the whole batch is set aside. */
  private async cutOut(batch: RecordBatch): Promise<CutOut | null> {
    const { compression, sent, damage } = batch;
    const { batchBytesMax } = this.budget;
    const cut = (payload: Buffer): CutOut => {
      const layout = batch.layout(payload);
      const span = this.scan(batch, payload, layout);
      return { span, layout, bytes: this.kept(payload, span, batch) };
    };
    try {
      if (damage !== null) throw new DecompressionError('damaged', damage);
      if (compression === undefined) throw new DecompressionError('damaged', 'an unknown compression');
      if (compression === null) {
        if (sent.length > batchBytesMax) throw new DecompressionError('oversized', `more than ${batchBytesMax} bytes`);
        return cut(sent);
      }
      return await decompress(compression, sent, batchBytesMax, (payload) => {
        this.budget.decompressed(payload.length);
        return cut(payload);
      });
    } catch (error) {
      if (!(error instanceof DecompressionError)) throw error;
      this.budget.decompressed(batchBytesMax);
      this.setAside(batch, this.notDecompressed(batch, error));
      return null;
    }
  }

  private notDecompressed(batch: RecordBatch, { kind, message }: DecompressionError): Undecoded {
    const { compression, bytes, baseOffset, lastOffset } = batch;
    const reason = kind === 'oversized' ? 'oversized' : 'unreadable';
    const what = `${compression ?? 'records'}: ${message}; ${bytes.length} bytes as sent`;
    const detail = `record batch, offsets ${baseOffset} to ${lastOffset}: ${what}`;
    return { reason, detail, firstOffset: this.firstOf(batch), lastOffset };
  }

  private firstOf({ baseOffset }: RecordBatch): number {
    return Math.max(baseOffset, this.fromOffset);
  }

  /** Finds what is to be taken of a batch without taking anything apart. At least one record, so that each fetch gets on. */
  private scan(batch: RecordBatch, payload: Buffer, layout: RecordLayout): Span {
    const { baseOffset, lastOffset } = batch;
    const reader = layout.reader(payload);
    let [from, lastFrom, count, offsetMin] = [0, 0, 0, layout.firstOffset];
    for (let index = 0; index < layout.count; index += 1) {
      const span = { from, to: reader.position, count, undecoded: null, isCut: true };
      if (offsetMin > lastOffset) {
        // More records than offsets: what stands for the rest takes the place of the last one.
        return { from, to: lastFrom, count: count - 1, undecoded: this.damaged(batch, lastOffset), isCut: false };
      }
      const found = reader.peek({ baseOffset, offsetMin, offsetMax: lastOffset });
      if (found === null) {
        return { ...span, undecoded: this.damaged(batch, Math.max(offsetMin, this.fromOffset)), isCut: false };
      }
      offsetMin = found.offset + 1;
      lastFrom = reader.position;
      reader.skip(found);
      if (found.offset < this.fromOffset) {
        from = reader.position;
        continue;
      }
      if (count > 0 && (found.bytes > takenRecordBytesMax || !this.budget.hasRoom)) return span;
      if (found.bytes > takenRecordBytesMax) {
        return { ...span, undecoded: tooLarge(found), isCut: index + 1 < layout.count };
      }
      this.budget.taken(found.bytes);
      count += 1;
    }
    return { from, to: reader.position, count, undecoded: null, isCut: false };
  }

  private damaged({ baseOffset, lastOffset }: RecordBatch, firstOffset: number): Undecoded {
    const detail = `record batch, offsets ${baseOffset} to ${lastOffset}: damaged from ${firstOffset} on`;
    return { reason: 'unreadable', detail, firstOffset: Math.min(firstOffset, lastOffset), lastOffset };
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
  private take(batch: RecordBatch, { span, bytes, layout }: CutOut): boolean {
    const reader = layout.reader(bytes);
    let next = this.firstOf(batch);
    for (let index = 0; index < span.count; index += 1) {
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
        ...(batch.hasAppendTime ? { isAppendTime: true } : {}),
        offset: String(offset),
        isControlRecord: batch.isControl,
        batchContext: batch.context,
      });
    }
    return true;
  }

  private setAside(batch: RecordBatch, undecoded: Undecoded): void {
    this.budget.taken(batch.bytes.length);
    this.records.push(standIn(batch, undecoded));
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
export function decodeRecordSet(set: Buffer, bounds: Bounds, budget: AnswerBudget): Promise<KafkaRecord[]> {
  return new RecordSetDecoder(bounds, budget).decode(set);
}
