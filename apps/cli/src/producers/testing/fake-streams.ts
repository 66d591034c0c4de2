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

export interface FakeStreams extends LintStreams {
  readonly stdout: FakeTarget;
  readonly stderr: FakeTarget;
}

/** Standard streams, with text to be read. */
export function fakeStreams(stdin = '', stdout = new FakeTarget()): FakeStreams {
  return { stdin: piecesOf(Buffer.from(stdin)), stdout, stderr: new FakeTarget() };
}

export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
