import type { RoundFigures } from './contestant.js';
import { Stopwatch } from './stopwatch.js';

/**
 * Times a consumer from its first commit to its last: joining the group and finding the offsets are not counted, and
 * neither are the records of the first commit.
 */
export class FirstToLast {
  readonly finished: Promise<RoundFigures>;
  private readonly end = Promise.withResolvers<RoundFigures>();
  private watch: Stopwatch | null = null;
  private statementsBefore = 0;
  private recorded = 0;
  private uncounted = 0;

  /** @param statements how many have been sent so far, where that is counted */
  constructor(
    private readonly limits: { readonly records: number; readonly secondsMax: number },
    private readonly statements: () => number | null = () => null,
  ) {
    const tooLate = (): void => this.fail(`only ${this.recorded} of ${limits.records} in ${limits.secondsMax} s`);
    const timer = setTimeout(tooLate, limits.secondsMax * 1_000);
    this.finished = this.end.promise.finally(() => clearTimeout(timer));
  }

  fail(message: string, cause?: unknown): void {
    this.end.reject(new Error(message, { cause }));
  }

  /** So many records are durable now. */
  committed(count: number): void {
    this.recorded += count;
    if (this.watch === null) {
      this.watch = new Stopwatch();
      this.uncounted = count;
      this.statementsBefore = this.statements() ?? 0;
    }
    if (this.recorded < this.limits.records) return;
    const sent = this.statements();
    const statements = sent === null ? null : sent - this.statementsBefore;
    this.end.resolve(this.watch.read(this.recorded - this.uncounted, statements));
  }
}
