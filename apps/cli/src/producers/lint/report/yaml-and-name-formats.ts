import { yamlText } from '../../../client/output.js';
import { safeLine } from '../../../client/text.js';
import type { ReportFormat } from './report-format.js';
import type { SampleReport } from './sample-report.js';
import type { Summary } from './summary.js';

/** One YAML document: `samples` and `summary`. */
export class YamlFormat implements ReportFormat {
  private isFirst = true;

  begin(): string {
    return '';
  }

  async sample(report: SampleReport): Promise<string> {
    const start = this.isFirst ? 'samples:\n' : '';
    this.isFirst = false;
    return `${start}${await yamlText([report])}`;
  }

  async end({ counts, unreadable }: Summary): Promise<string> {
    const start = this.isFirst ? 'samples: []\n' : '';
    return `${start}${await yamlText({ summary: { ...counts, unreadable } })}`;
  }
}

/** Where each sample begins, one to a line, and nothing else. */
export class NameFormat implements ReportFormat {
  begin(): string {
    return '';
  }

  sample({ file, line }: SampleReport): string {
    return `${safeLine(file)}:${line}\n`;
  }

  end(): string {
    return '';
  }
}
