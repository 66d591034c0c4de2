import { safeLine } from '../../../client/text.js';
import type { ReportFormat } from './report-format.js';
import type { SampleReport } from './sample-report.js';
import type { Summary } from './summary.js';

const verdictWidth = 'accepted'.length;
const codeWidthMax = 24;
const placeWidthMax = 60;

function outcome({ verdict, reason, detail, type, causes }: SampleReport): string {
  if (verdict === 'refused') return `${(reason ?? '').padEnd(codeWidthMax)}${safeLine(detail ?? '')}`;
  if (verdict === 'ignored') return [reason, type].filter((text) => text !== null).join('  ');
  return causes.length === 0 ? (type ?? '') : `${type ?? ''} -> ${causes.join(', ')}`;
}

/** For people: a line per sample, its warnings below it. Columns are as wide as what came so far. */
export class TableFormat implements ReportFormat {
  private placeWidth = 0;

  begin(): string {
    return '';
  }

  sample(report: SampleReport): string {
    const place = `${safeLine(report.file)}:${report.line}`;
    this.placeWidth = Math.min(placeWidthMax, Math.max(this.placeWidth, place.length));
    const warnings = report.warnings.map(({ code, detail }) =>
      this.line('', 'warning', `${code.padEnd(codeWidthMax)}${safeLine(detail)}`),
    );
    return [this.line(place, report.verdict, outcome(report)), ...warnings].join('');
  }

  end({ counts }: Summary): string {
    const { samples, accepted, ignored, refused, warnings } = counts;
    return `${samples} samples: ${accepted} accepted, ${ignored} ignored, ${refused} refused; ${warnings} warnings\n`;
  }

  private line(place: string, verdict: string, text: string): string {
    return `${place.padEnd(this.placeWidth)}  ${verdict.padEnd(verdictWidth)}  ${text}`.trimEnd().concat('\n');
  }
}
