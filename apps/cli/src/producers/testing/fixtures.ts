import type { SourceEventName } from '#events';
import { SOURCE_EVENT_SAMPLES } from '#events';

import type { LintStreams } from '../lint/run-lint.js';
import type { TextTarget } from '../text-output.js';

/** Bytes as a stream brings them, in pieces of a length. */
export async function* piecesOf(bytes: Uint8Array, pieceLength = bytes.length): AsyncGenerator<Buffer, void> {
  for (let start = 0; start < bytes.length; start += Math.max(1, pieceLength)) {
    yield Buffer.from(bytes.subarray(start, start + Math.max(1, pieceLength)));
  }
}

/** Keeps what is written; with `closesAfter` its reader goes after so many writes. */
export class FakeTarget implements TextTarget {
  text = '';
  private writes = 0;

  constructor(private readonly closesAfter = Infinity) {}

  write(text: string, done: (error?: Error | null) => void = () => undefined): boolean {
    this.writes += 1;
    if (this.writes > this.closesAfter) {
      done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      return false;
    }
    this.text += text;
    done(null);
    return true;
  }

  on(): void {
    // Nothing breaks here but by `write`.
  }
}

interface FakeStreams extends LintStreams {
  readonly stdout: FakeTarget;
  readonly stderr: FakeTarget;
}

/** Standard streams, with text to be read. */
export function fakeStreams(stdin = '', stdout = new FakeTarget()): FakeStreams {
  return { env: {}, stdin: piecesOf(Buffer.from(stdin)), stdout, stderr: new FakeTarget() };
}

export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A time at which the samples below are fresh. */
export const sampleNow = Date.parse('2026-11-21T12:00:00Z');

export interface SampleSketch {
  readonly data?: object;
  readonly frame?: object;
}

/** The sample of a type as an event in structured mode. */
export function eventOf(name: SourceEventName, { data, frame }: SampleSketch = {}): Readonly<Record<string, unknown>> {
  return {
    specversion: '1.0',
    id: `id-of-${name}`,
    source: '/pos/berlin-07/till-3',
    type: name,
    time: '2026-11-21T10:15:04+01:00',
    data: { ...SOURCE_EVENT_SAMPLES[name], ...data },
    ...frame,
  };
}

/** The sample of a type as a record in binary mode. */
export function binaryRecordOf(name: SourceEventName, sketch: SampleSketch = {}): Readonly<Record<string, unknown>> {
  const { data, ...attributes } = eventOf(name, sketch);
  const headers = Object.entries(attributes).map(([key, value]) => [`ce_${key}`, value]);
  return { key: SOURCE_EVENT_SAMPLES[name].memberId, headers: Object.fromEntries(headers) as object, value: data };
}
