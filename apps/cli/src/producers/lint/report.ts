import { yamlText } from '../../client/output.js';
import { safeJson, safeLine } from '../../client/text.js';
import { exitError, exitNothingMatched, exitOk, exitSomeFailed } from '../../command-line/command-failure.js';
import type { MappedJudgement } from './judge-mapped.js';
import type { Call, Judgement } from './judge-sample.js';

/** One sample in the report. */
export interface SampleReport extends Judgement {
  readonly file: string;
  readonly line: number;
}

/** A file that could not be read, or not to its end. */
export interface FileReport {
  readonly file: string;
  readonly problem: string;
}

/** How many problems of files are kept for the end of the report. */
const fileReportsMax = 1000;

/** How many kinds of outcomes are told apart. */
const kindsMax = 200;

/** What the whole run came to. */
export class Summary {
  private readonly kinds = new Map<string, number>();
  /** Files of which something else came than what is kept beside them. */
  private changed = 0;
  readonly counts = { samples: 0, accepted: 0, ignored: 0, refused: 0, warnings: 0 };
  readonly unreadable: FileReport[] = [];

  /** How often each thing happened, the most frequent first. */
  get scorecard(): readonly (readonly [kind: string, count: number])[] {
    return [...this.kinds].toSorted(([, one], [, other]) => other - one);
  }

  countChanged(): void {
    this.changed += 1;
  }

  count(report: SampleReport): void {
    const { verdict, warnings } = report;
    const kind = `${verdict.padEnd(verdictWidth)}  ${outcome(report)}`;
    const known = this.kinds.get(kind);
    if (known !== undefined || this.kinds.size < kindsMax) this.kinds.set(kind, (known ?? 0) + 1);
    this.counts.samples += 1;
    this.counts[verdict] += 1;
    this.counts.warnings += warnings.length;
  }

  countFile(report: FileReport): void {
    if (this.unreadable.length < fileReportsMax) this.unreadable.push(report);
  }

  /** What could not be read comes first: its content is unknown. With `strict` a warning counts as refused. */
  exitCode({ strict }: { readonly strict: boolean }): number {
    const { samples, ignored, refused, warnings } = this.counts;
    if (this.unreadable.length > 0) return exitError;
    if (refused > 0 || this.changed > 0 || (strict && ignored + warnings > 0)) return exitSomeFailed;
    return samples === 0 ? exitNothingMatched : exitOk;
  }
}

/** How a report is written, piece by piece, so that it may be of any length. */
export interface ReportFormat {
  begin(): string;
  sample(report: SampleReport): string | Promise<string>;
  /** @param isScored with how often each thing happened */
  end(summary: Summary, isScored: boolean): string | Promise<string>;
}

const verdictWidth = 'accepted'.length;
const codeWidthMax = 24;
const placeWidthMax = 60;

function outcome({ verdict, reason, detail, type, causes }: SampleReport): string {
  if (verdict === 'refused') return `${(reason ?? '').padEnd(codeWidthMax)}${safeLine(detail ?? '')}`;
  if (verdict === 'ignored') return [reason, type].filter((text) => text !== null).join('  ');
  return causes.length === 0 ? (type ?? '') : `${type ?? 'several'} -> ${causes.join(', ')}`;
}

interface Line {
  readonly word: string;
  readonly text: string;
}

/** Of a record of a source: the events that its map made, and the calls that they cause. */
function madeLines(report: SampleReport): readonly Line[] {
  const events = ('events' in report ? report.events : []) as MappedJudgement['events'];
  return events.flatMap(({ event, calls = [] }) => [
    { word: 'event', text: safeJson(event) },
    ...calls.map((call) => ({ word: 'call', text: callText(call) })),
  ]);
}

function callText(call: Call): string {
  if ('problems' in call) return safeLine(`${call.operation}: ${call.problems.join('; ')}`);
  const body = call.body === null ? '' : ` ${safeJson(call.body)}`;
  return `${safeLine(`${call.method} ${call.path}`)}${body}`;
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
    const made = madeLines(report).map(({ word, text }) => this.line('', word, text));
    return [this.line(place, report.verdict, outcome(report)), ...made, ...warnings].join('');
  }

  end({ counts, scorecard }: Summary, isScored: boolean): string {
    const scores = scorecard.map(([kind, count]) => `${String(count).padStart(8)}  ${kind}\n`);
    return `${isScored ? scores.join('') : ''}${this.total(counts)}`;
  }

  private total(counts: Summary['counts']): string {
    const { samples, accepted, ignored, refused, warnings } = counts;
    return `${samples} samples: ${accepted} accepted, ${ignored} ignored, ${refused} refused; ${warnings} warnings\n`;
  }

  private line(place: string, verdict: string, text: string): string {
    return `${place.padEnd(this.placeWidth)}  ${verdict.padEnd(verdictWidth)}  ${text}`.trimEnd().concat('\n');
  }
}

function summaryOf({ counts, unreadable, scorecard }: Summary, isScored: boolean): object {
  const scores = scorecard.map(([kind, count]) => ({ kind, count }));
  return { ...counts, unreadable, ...(isScored && { scorecard: scores }) };
}

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

  end(summary: Summary, isScored: boolean): string {
    return `\n],"summary":${JSON.stringify(summaryOf(summary, isScored))}}\n`;
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

  async end(summary: Summary, isScored: boolean): Promise<string> {
    const start = this.isFirst ? 'samples: []\n' : '';
    return `${start}${await yamlText({ summary: summaryOf(summary, isScored) })}`;
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
