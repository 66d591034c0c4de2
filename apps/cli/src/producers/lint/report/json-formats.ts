import type { ReportFormat } from './report-format.js';
import type { SampleReport } from './sample-report.js';
import type { Summary } from './summary.js';

/** One JSON object: `samples` and `summary`. */
export class JsonFormat implements ReportFormat {
  private separator = '';

  begin(): string {
    return '{"samples":[';
  }

  sample(report: SampleReport): string {
    const text = `${this.separator}\n${JSON.stringify(report)}`;
    this.separator = ',';
    return text;
  }

  end({ counts, unreadable }: Summary): string {
    return `\n],"summary":${JSON.stringify({ ...counts, unreadable })}}\n`;
  }
}

/** One JSON object per sample and line, and nothing else. */
export class JsonLinesFormat implements ReportFormat {
  begin(): string {
    return '';
  }

  sample(report: SampleReport): string {
    return `${JSON.stringify(report)}\n`;
  }

  end(): string {
    return '';
  }
}
