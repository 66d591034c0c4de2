import { type RawSample, SampleBytes } from './raw-sample.js';

const newline = 0x0a;

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
