import type { JsonLayout } from './json-layout.js';
import { type RawSample, SampleBytes } from './raw-sample.js';

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
