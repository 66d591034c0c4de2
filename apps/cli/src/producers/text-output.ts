/** What is written to: standard output, or a stand-in. */
export interface TextTarget {
  write(text: string, done: (error?: Error | null) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Writes at the pace of its reader, so that nothing piles up; falls silent when the reader has ended. */
export class TextOutput {
  private failure: Error | null = null;

  constructor(private readonly target: TextTarget) {
    target.on('error', (error) => (this.failure ??= error));
  }

  /** False once the reader has gone, as `head` does. */
  get isOpen(): boolean {
    return this.failure === null;
  }

  /** Resolves when it has been taken. @throws what writing met, other than that the reader has gone */
  async write(text: string): Promise<void> {
    if (this.failure !== null || text === '') return;
    const error = await new Promise<Error | null>((resolve) => {
      this.target.write(text, (problem) => resolve(problem ?? null));
    });
    this.failure ??= error;
    if (error !== null && !isReaderGone(error)) throw error;
  }
}

function isReaderGone(error: Error): boolean {
  return 'code' in error && error.code === 'EPIPE';
}
