import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const tailBytesMax = 16_384;
const tailLinesMax = 30;

/** A log file that can be read to its end even after it was removed, as long as it is not closed. */
export class ProcessLog {
  readonly descriptor: number;
  private last: string | undefined;

  constructor(file: string) {
    this.descriptor = openSync(file, 'a+');
  }

  /** The last lines. */
  tail(): string {
    if (this.last !== undefined) return this.last;
    const { size } = fstatSync(this.descriptor);
    const bytes = Buffer.alloc(Math.min(size, tailBytesMax));
    readSync(this.descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8').trimEnd().split('\n').slice(-tailLinesMax).join('\n');
  }

  /** Keeps the tail. Again: nothing happens. */
  close(): void {
    if (this.last !== undefined) return;
    this.last = this.tail();
    closeSync(this.descriptor);
  }
}
