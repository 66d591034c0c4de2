import type { InjectionKind } from '../rounds/journal.js';
import type { LogLine } from './log-line.js';

/** A line above `info` that somebody brought about. */
export interface ExpectedLine {
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
    where: hasReason('missing-pass', 'missing-purchase', 'unroutable'),
    cause: 'traffic',
    afterMs: 0,
    why: 'members who buy and never enrol, refunds of what was voided, revocations that no call carries: a person must look',
  },
  {
    message: 'attempt recorded, intent parked',
    where: ({ fields }) => fields['outcome'] === 'rejected' && fields['operation'] === 'update-via-workflow',
    cause: 'traffic',
    afterMs: 0,
    why: 'who leaves the program before the enrolment was sent has no pass that could be changed (held against the lane, too)',
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
