import type { Injection } from '../rounds/journal.js';
import type { ExpectedLine } from './expected-lines.js';
import type { LogLine } from './log-line.js';

/** What the logs of a run hold. */
export interface LinesReport {
  readonly byLevel: Readonly<Record<string, number>>;
  /** Above `info` and brought about by somebody, by message. */
  readonly expected: Readonly<Record<string, number>>;
  /** Above `info`, and nobody knows why. */
  readonly unexpected: readonly LogLine[];
}

const ordinaryLevels: readonly string[] = ['trace', 'debug', 'info'];
/** A line is written a moment before or after what we note around it. */
const toleranceMs = 250;

function isBroughtAbout(
  line: LogLine,
  { cause, afterMs, isOwn }: ExpectedLine,
  injections: readonly Injection[],
): boolean {
  if (cause === 'traffic') return true;
  const { at } = line;
  if (at === null) return false;
  return injections.some(
    ({ kind, process, from, to }) =>
      kind === cause &&
      at >= from - toleranceMs &&
      at <= to + afterMs + toleranceMs &&
      (isOwn !== true || process === line.process),
  );
}

function isMeant(line: LogLine, { message, where }: ExpectedLine): boolean {
  const hasText = typeof message === 'string' ? line.message === message : message.test(line.message);
  return hasText && (where === undefined || where(line));
}

function countBy(lines: readonly LogLine[], name: (line: LogLine) => string): Record<string, number> {
  const groups = Map.groupBy(lines, name);
  return Object.fromEntries([...groups].map(([key, group]): [string, number] => [key, group.length]).toSorted());
}

/** Holds every line above `info` against what was done to the run. */
export function judgeLines(
  lines: readonly LogLine[],
  injections: readonly Injection[],
  expectedLines: readonly ExpectedLine[],
): LinesReport {
  const loud = lines.filter(({ level }) => !ordinaryLevels.includes(level));
  const isExpected = (line: LogLine): boolean =>
    expectedLines.some((expected) => isMeant(line, expected) && isBroughtAbout(line, expected, injections));
  return {
    byLevel: countBy(lines, ({ level }) => level),
    expected: countBy(loud.filter(isExpected), ({ level, message }) => `${level}: ${message}`),
    unexpected: loud.filter((line) => !isExpected(line)),
  };
}
