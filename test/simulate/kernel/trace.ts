import { createHash } from 'node:crypto';

const flushChars = 32_768;

/** Everything that happens in a world, in order, as a hash; the same seed must give the same. */
export class Trace {
  private readonly hash = createHash('sha256');
  private pending = '';
  private count = 0;

  /** @param print gets every line; null: nobody reads them */
  constructor(private readonly print: ((line: string) => void) | null) {}

  note(at: number, text: string): void {
    const line = `${at.toFixed(3)} ${text}\n`;
    this.count += 1;
    this.pending += line;
    this.print?.(line);
    if (this.pending.length > flushChars) this.flush();
  }

  get lines(): number {
    return this.count;
  }

  digest(): string {
    this.flush();
    return this.hash.copy().digest('hex').slice(0, 16);
  }

  private flush(): void {
    this.hash.update(this.pending);
    this.pending = '';
  }
}
