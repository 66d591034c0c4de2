import type { JobFindings } from '../jobs/job-repository.js';

/** Lines that a job keeps of each of the seven kinds of findings; more are only counted. */
const linesPerKindMax = 14_000;

type Counts = Readonly<Record<string, number>>;

/** Counts what a job comes across, and keeps a line of each finding as far as there is room for it. */
export class Tally {
  private readonly counts: Record<string, number>;
  private readonly kept: JobFindings['lines'][number][] = [];

  constructor(before: Counts) {
    this.counts = { ...before };
  }

  get progress(): Counts {
    return this.counts;
  }

  get lines(): JobFindings['lines'] {
    return this.kept;
  }

  of(name: string): number {
    return this.counts[name] ?? 0;
  }

  add(name: string, more = 1): void {
    if (more > 0) this.counts[name] = this.of(name) + more;
  }

  set(name: string, value: number): void {
    this.counts[name] = value;
  }

  /** A finding: counted under `name`; its line tells its kind. */
  found(name: string, kind: string, line: Readonly<Record<string, unknown>>): void {
    this.add(name);
    if (this.of(name) <= linesPerKindMax) this.kept.push({ kind, ...line });
    else this.add('linesBeyond');
  }
}
