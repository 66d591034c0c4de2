import type { Injection, InjectionKind } from '../rounds.js';
import { parkedByTraffic } from './leftovers.js';

/** A line that a process wrote. */
export interface LogLine {
  readonly process: string;
  /** Epoch milliseconds; null where it does not say. */
  readonly at: number | null;
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly raw: string;
}

/** What the slots write between two lives. */
const separator = /^--- process \d+, ended by /;

function parse(raw: string): Readonly<Record<string, unknown>> | null {
  if (!raw.startsWith('{')) return null;
  try {
    return JSON.parse(raw) as Record<string, unknown>;
  } catch {
    return null;
  }
}

function lineOf(process: string, raw: string): LogLine | null {
  const fields = parse(raw);
  // Nobody foresaw it: a stack of the runtime, a warning of Node.
  if (fields === null) return { process, at: null, level: 'unreadable', message: raw, fields: {}, raw };
  if (fields['ready'] === true) return null;
  const at = Date.parse(String(fields['time']));
  return {
    process,
    at: Number.isNaN(at) ? null : at,
    level: String(fields['level']),
    message: String(fields['msg'] ?? fields['message']),
    fields,
    raw,
  };
}

/** The lines of a log, without what says that a process is ready, or has ended. */
export function readLines(process: string, text: string): LogLine[] {
  const raw = text.split('\n').filter((line) => line.trim() !== '' && !separator.test(line));
  return raw.flatMap((line) => lineOf(process, line) ?? []);
}

/** A line above `info` that somebody brought about. */
interface ExpectedLine {
  readonly message: string | RegExp;
  /** What else must be true of it. */
  readonly where?: (line: LogLine) => boolean;
  /** What brings it about; `traffic`: what tills send, at any time. */
  readonly cause: InjectionKind | 'traffic';
  /** How long after its cause it may come. */
  readonly afterMs: number;
  /** Only the process that it was done to says it. */
  readonly isOwn?: boolean;
  readonly why: string;
}

/** A call may take so long (`WALLET_TIMEOUT_MS`), and what was in doubt is looked into a few times after that. */
const settledMs = 120_000;
const parked = /^(?:intent parked|attempt recorded, intent parked)$/;

function hasReason(...reasons: readonly string[]): (line: LogLine) => boolean {
  return ({ fields }) => reasons.includes(String(fields['reason']));
}

function isUnknown({ fields }: LogLine): boolean {
  return fields['outcome'] === 'unknown' || fields['reason'] === 'unknown-outcome';
}

/** Every line above `info` that a run may show, and why. */
export const expectedLines: readonly ExpectedLine[] = [
  {
    message: 'intent parked',
    where: hasReason(...parkedByTraffic),
    cause: 'traffic',
    afterMs: 0,
    why: 'members who buy, are updated or opt out and never enrol, refunds of what was voided, a void beside a return that is under way, revocations that no call carries: a person must look',
  },
  {
    message: 'attempt recorded, intent parked',
    where: ({ fields }) => fields['outcome'] === 'rejected' && fields['operation'] === 'update-via-workflow',
    cause: 'traffic',
    afterMs: 0,
    why: 'who leaves the program before the enrolment was sent has no pass that could be changed (held against the lane, too)',
  },
  {
    message: 'attempt recorded, intent parked',
    where: ({ fields }) =>
      fields['outcome'] === 'rejected' && fields['operation'] === 'transaction' && fields['code'] === 'duplicate',
    cause: 'traffic',
    afterMs: 0,
    why: 'another system has posted under the receipt before us (the judge holds each against the ledger)',
  },
  {
    message: 'programs file not taken over',
    cause: 'invalid-file',
    afterMs: 5_000,
    why: 'every process says that the file is wrong; noticed by itself, it may say so once more',
  },
  {
    message: 'no partner token to be had',
    where: ({ fields }) => fields['reason'] === 'http-401',
    cause: 'client-secret',
    afterMs: 5_000,
    why: 'between the new file and the partner, a token is asked for by a secret that is not right yet, or no more',
  },
  ...(['too-many', 'error'] as const).map((cause) => ({
    message: 'no partner token to be had',
    cause,
    afterMs: 5_000,
    why: 'the partner answers 429 or 503 to token requests, too',
  })),
  {
    message: parked,
    where: isUnknown,
    cause: 'error',
    afterMs: settledMs,
    why: 'a 503 tells nothing about the call: what leaves no evidence is parked for a person',
  },
];

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
