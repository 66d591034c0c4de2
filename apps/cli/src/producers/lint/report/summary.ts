import { exitError, exitNothingMatched, exitOk, exitSomeFailed } from '../../../command-line/command-failure.js';
import type { FileReport, SampleReport } from './sample-report.js';
import { fileReportsMax } from './sample-report.js';

/** What the whole run came to. */
export class Summary {
  readonly counts = { samples: 0, accepted: 0, ignored: 0, refused: 0, warnings: 0 };
  readonly unreadable: FileReport[] = [];

  count({ verdict, warnings }: SampleReport): void {
    this.counts.samples += 1;
    this.counts[verdict] += 1;
    this.counts.warnings += warnings.length;
  }

  countFile(report: FileReport): void {
    if (this.unreadable.length < fileReportsMax) this.unreadable.push(report);
  }

  /** What could not be read comes first: nobody knows what it holds. With `strict` a warning counts as refused. */
  exitCode({ strict }: { readonly strict: boolean }): number {
    const { samples, ignored, refused, warnings } = this.counts;
    if (this.unreadable.length > 0) return exitError;
    if (refused > 0 || (strict && ignored + warnings > 0)) return exitSomeFailed;
    return samples === 0 ? exitNothingMatched : exitOk;
  }
}
