import { machineMs } from '../child.js';
import { runSql } from '../infrastructure/bench-postgres.js';
import type { Commit, RoundFigures, RoundInput } from './contestant.js';
import { Stopwatch } from './contestant.js';

/** Told of every commit; decides when a consumer has done its part. */
export interface IngestTiming {
  readonly finished: Promise<RoundFigures>;
  /** So many records are durable now. */
  committed(count: number): void;
  fail(message: string, cause?: unknown): void;
}

/**
 * Times a consumer from its first commit to its last: joining the group and finding the offsets are not counted, and
 * neither are the records of the first commit.
 */
export class FirstToLast implements IngestTiming {
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

const pollIntervalMs = 200;

/**
 * Notes each commit of a consumer that shares its group with others, until all records of the topic are recorded, by
 * whomever.
 */
export class CommitLog implements IngestTiming {
  readonly finished: Promise<RoundFigures>;
  private readonly end = Promise.withResolvers<RoundFigures>();
  private readonly watch = new Stopwatch();
  private readonly commits: Commit[] = [];
  private done = 0;

  /** @param statements how many have been sent so far */
  constructor(
    private readonly input: RoundInput,
    private readonly statements: () => number,
  ) {
    const tooLate = (): void => this.fail(`only ${this.done} recorded in ${input.secondsMax} s`);
    const failed = (error: unknown): void => this.fail('looking for the end failed', error);
    const timer = setTimeout(tooLate, input.secondsMax * 1_000);
    const looks = setInterval(() => void this.look().catch(failed), pollIntervalMs);
    this.finished = this.end.promise.finally(() => {
      clearTimeout(timer);
      clearInterval(looks);
    });
  }

  fail(message: string, cause?: unknown): void {
    this.end.reject(new Error(message, { cause }));
  }

  committed(count: number): void {
    this.done += count;
    const { cpuSeconds } = this.watch.read(this.done);
    this.commits.push({ at: machineMs(), count, cpuSeconds, statements: this.statements() });
  }

  private async look(): Promise<void> {
    const { kafka, databaseUrl } = this.input;
    const [row] = await runSql<{ recorded: number }>(
      databaseUrl,
      'SELECT COALESCE(sum(next_offset), 0)::int AS recorded FROM kafka_offset WHERE topic = $1',
      [kafka?.topic],
    );
    if (row?.recorded === kafka?.records) this.end.resolve({ ...this.watch.read(this.done), commits: this.commits });
  }
}

/** What several consumers did together after `from`, by the machine's clock, until the last commit of all. */
export const countAfter = (from: number, shares: readonly (readonly Commit[])[]): RoundFigures => {
  const parts = shares.map((commits) => {
    const counted = commits.filter(({ at }) => at > from);
    const last = counted.at(-1);
    if (last === undefined) throw new Error('one of the consumers recorded nothing');
    const before = commits.findLast(({ at }) => at <= from) ?? { cpuSeconds: 0, statements: 0 };
    return {
      done: counted.reduce((sum, { count }) => sum + count, 0),
      cpuSeconds: last.cpuSeconds - before.cpuSeconds,
      statements: last.statements - before.statements,
      until: last.at,
    };
  });
  const sum = (of: (part: (typeof parts)[number]) => number): number =>
    parts.reduce((total, part) => total + of(part), 0);
  return {
    done: sum(({ done }) => done),
    altogether: shares.flat().reduce((total, { count }) => total + count, 0),
    seconds: (Math.max(...parts.map(({ until }) => until)) - from) / 1_000,
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    statements: sum(({ statements }) => statements),
  };
};
