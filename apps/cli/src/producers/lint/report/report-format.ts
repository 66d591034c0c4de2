import type { SampleReport } from './sample-report.js';
import type { Summary } from './summary.js';

/** How a report is written, piece by piece, so that it may be of any length. */
export interface ReportFormat {
  begin(): string;
  sample(report: SampleReport): string | Promise<string>;
  end(summary: Summary): string | Promise<string>;
}
