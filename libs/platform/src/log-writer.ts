/** A write of at most so many bytes to a pipe is never mixed with another thread's (Linux: PIPE_BUF, pipe(7)). */
export const wholeWriteBytesMax = 4_096;

/** pino tells the level of each line to a destination that has this property (pino's API, "Destination"). */
const wantsLevel = Symbol.for('pino.metadata');
/** pino's number for `warn`. */
const warnLevel = 40;

/** Writes at once. */
export interface LogSink {
  write(text: string): unknown;
}

/**
 * Lines of one turn of the event loop leave together, a warning or an error at once and whatever came before it with it: a write
 * for each line cost a tenth of a busy process. What is left at the end of the process or thread leaves then.
 */
export class LogWriter {
  readonly [wantsLevel] = true;
  /** Set by pino before each line. */
  lastLevel = 0;
  private lines = '';
  private bytes = 0;

  constructor(
    private readonly sink: LogSink,
    private readonly soon: (task: () => void) => void = setImmediate,
  ) {
    process.on('exit', () => {
      this.flush();
    });
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.bytes + bytes > wholeWriteBytesMax) this.flush();
    const isFirst = this.bytes === 0;
    this.lines += line;
    this.bytes += bytes;
    if (this.lastLevel >= warnLevel) this.flush();
    else if (isFirst) this.soon(() => this.flush());
  }

  private flush(): void {
    const { lines } = this;
    this.lines = '';
    this.bytes = 0;
    if (lines !== '') this.sink.write(lines);
  }
}
