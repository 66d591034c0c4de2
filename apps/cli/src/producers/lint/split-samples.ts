import { recordBytesMax } from '#contracts';

/**
 * Longest sample read. A record within a sample may be escaped text, so that more is read here than the daemon reads of
 * a record's value: what is between the two it refuses itself.
 */
export const sampleBytesMax = 2 * recordBytesMax;

/** One sample as it stands in its file. `null`: longer than `sampleBytesMax`, its bytes were let go. */
export interface RawSample {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly bytes: Buffer | null;
}

const spaces = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** JSON's white space. */
export function isSpace(byte: number): boolean {
  return spaces.has(byte);
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every(isSpace);
}

/** Gathers one sample from the pieces of a stream; lets go of it as soon as it is too long. */
class SampleBytes {
  private pieces: Buffer[] = [];
  private length = 0;

  add(piece: Buffer): void {
    this.length += piece.length;
    if (this.length <= sampleBytesMax) this.pieces.push(piece);
    else this.pieces = [];
  }

  /** What was gathered, and begins anew. Null for nothing but white space. */
  take(line: number): RawSample | null {
    const { pieces, length } = this;
    this.pieces = [];
    this.length = 0;
    if (length > sampleBytesMax) return { line, bytes: null };
    const bytes = Buffer.concat(pieces, length);
    return isBlank(bytes) ? null : { line, bytes };
  }
}

const quote = 0x22;
const backslash = 0x5c;
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

function closes(byte: number): boolean {
  return closing.has(byte);
}

/**
 * Where one stands in JSON text: how deep, and whether within a string. Byte by byte, so that text of any length can be
 * cut into values without holding it; text that is not JSON leads to cuts somewhere.
 */
export class JsonCursor {
  private depth = 0;
  private isInString = false;
  private isEscaped = false;

  /** Nothing is open here. */
  get isOutside(): boolean {
    return this.depth <= 0 && !this.isInString;
  }

  step(byte: number): void {
    if (this.isInString) this.stepInString(byte);
    else if (byte === quote) this.isInString = true;
    else if (opening.has(byte)) this.depth += 1;
    else if (closing.has(byte)) this.depth -= 1;
  }

  private stepInString(byte: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === backslash) this.isEscaped = true;
    else if (byte === quote) this.isInString = false;
  }
}

const comma = 0x2c;
const arrayEnd = 0x5d;

/** How samples stand in JSON text. */
interface JsonLayout {
  /** Whether this byte, which belongs to no sample yet, begins one. */
  begins(byte: number): boolean;
  /** Whether the sample that was begun ends here: `after` this byte, or `before` it. */
  ends(byte: number): 'after' | 'before' | null;
  /** Whether the text may end here. */
  readonly isComplete: boolean;
}

/** One value, or several one after the other, each over any number of lines. */
export class ValuesLayout implements JsonLayout {
  readonly isComplete = true;
  private cursor = new JsonCursor();

  begins(byte: number): boolean {
    if (isSpace(byte)) return false;
    this.cursor = new JsonCursor();
    return true;
  }

  ends(byte: number): 'after' | 'before' | null {
    this.cursor.step(byte);
    if (!this.cursor.isOutside) return null;
    if (closes(byte)) return 'after';
    return isSpace(byte) ? 'before' : null;
  }
}

/** The members of one array. What stands behind the array counts as one more sample, which then is refused. */
export class ArrayLayout implements JsonLayout {
  private place: 'before' | 'within' | 'behind' = 'before';
  private cursor = new JsonCursor();

  get isComplete(): boolean {
    return this.place === 'behind';
  }

  begins(byte: number): boolean {
    if (isSpace(byte)) return false;
    return this.place === 'within' ? this.beginsMember(byte) : this.beginsOutside();
  }

  ends(byte: number): 'after' | 'before' | null {
    if (this.place === 'behind') return null;
    if (this.cursor.isOutside && (byte === comma || byte === arrayEnd)) {
      if (byte === arrayEnd) this.place = 'behind';
      return 'before';
    }
    this.cursor.step(byte);
    return null;
  }

  private beginsMember(byte: number): boolean {
    if (byte === arrayEnd) this.place = 'behind';
    this.cursor = new JsonCursor();
    return byte !== arrayEnd && byte !== comma;
  }

  /** The first byte is the array's bracket. */
  private beginsOutside(): boolean {
    if (this.place === 'behind') return true;
    this.place = 'within';
    return false;
  }
}

const newline = 0x0a;

/** The text ended within something that was begun. */
export interface CutOff {
  readonly line: number;
  readonly isCutOff: true;
}

/** Cuts JSON text into its samples as it arrives; the bytes of each stay as they were written. */
export async function* splitJson(
  chunks: AsyncIterable<Buffer>,
  layout: JsonLayout,
): AsyncGenerator<RawSample | CutOff, void> {
  const splitter = new JsonSplitter(layout);
  for await (const chunk of chunks) yield* splitter.push(chunk);
  yield* splitter.end();
}

class JsonSplitter {
  private readonly bytes = new SampleBytes();
  private line = 1;
  private sampleLine = 1;
  private isWithin = false;
  /** Where what is not yet in `bytes` of the sample begins in the chunk. */
  private start = 0;

  constructor(private readonly layout: JsonLayout) {}

  *push(chunk: Buffer): Generator<RawSample, void> {
    this.start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const end = this.step(chunk[at] ?? 0, at);
      if (end === null) continue;
      this.bytes.add(chunk.subarray(this.start, end));
      yield* this.take();
    }
    if (this.isWithin) this.bytes.add(chunk.subarray(this.start));
  }

  *end(): Generator<RawSample | CutOff, void> {
    if (this.isWithin) yield* this.take();
    if (!this.layout.isComplete) yield { line: this.line, isCutOff: true };
  }

  /** @returns where in the chunk the sample ends, or null while it does not */
  private step(byte: number, at: number): number | null {
    if (byte === newline) this.line += 1;
    if (!this.isWithin && !this.begin(byte, at)) return null;
    const end = this.layout.ends(byte);
    if (end === null) return null;
    return end === 'after' ? at + 1 : at;
  }

  private begin(byte: number, at: number): boolean {
    this.isWithin = this.layout.begins(byte);
    this.start = at;
    this.sampleLine = this.line;
    return this.isWithin;
  }

  private *take(): Generator<RawSample, void> {
    this.isWithin = false;
    const sample = this.bytes.take(this.sampleLine);
    if (sample !== null) yield sample;
  }
}

/** NDJSON: one sample per line, blank lines left out. A line that is too long is passed over without being kept. */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<RawSample, void> {
  const splitter = new LineSplitter();
  for await (const chunk of chunks) yield* splitter.push(chunk);
  yield* splitter.end();
}

class LineSplitter {
  private readonly bytes = new SampleBytes();
  private line = 1;

  *push(chunk: Buffer): Generator<RawSample, void> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.bytes.add(chunk.subarray(start, end));
      yield* this.end();
      this.line += 1;
      start = end + 1;
    }
    this.bytes.add(chunk.subarray(start));
  }

  *end(): Generator<RawSample, void> {
    const sample = this.bytes.take(this.line);
    if (sample !== null) yield sample;
  }
}
