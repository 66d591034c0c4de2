import { CommandFailure } from '../../command-line/command-failure.js';
import { exitError, exitNotAllowed, exitNothingMatched, exitUsage } from '../../command-line/exit-codes.js';
import { safeLine } from '../output/safe-text.js';

/** What a problem document says (RFC 9457), as far as it is needed here. */
export interface Problem {
  readonly status: number;
  /** The end of `type`; null where the answer was no problem document of ours. */
  readonly code: string | null;
  readonly title: string;
  readonly detail: string | null;
}

/** The server refused; nothing was changed. */
export class ApiFailure extends CommandFailure {
  constructor(readonly problem: Problem) {
    super(lineOf(problem), exitCodeOf(problem));
  }
}

/** No answer came: the server is away, or the network. */
export class NoAnswer extends CommandFailure {}

const notAllowed = [401, 403];
/** The code of a problem where the server does not know what was asked for at all. */
export const noSuchPath = 'http-404';
const nothingThere = /^(?:no-such-|nothing-to-)/;
const codePrefix = 'urn:loyaltyd:problem:';

function exitCodeOf({ status, code }: Problem): number {
  if (notAllowed.includes(status)) return exitNotAllowed;
  // A proxy, or another program's 404: nothing is known of what was asked for.
  if (code === null || code === noSuchPath) return exitError;
  if (status === 404 || nothingThere.test(code)) return exitNothingMatched;
  return status === 400 ? exitUsage : exitError;
}

/** Lists of what is wrong come as several lines, each with a cross before it. */
function oneLine(text: string): string {
  return safeLine(text.replace(/✖ /g, '').replace(/\s*\n\s*/g, ' '));
}

function lineOf({ status, code, title, detail }: Problem): string {
  if (code === null) return `the server answered with HTTP ${status} and no reason: is it loyaltyd's operations API?`;
  if (code === noSuchPath) return 'the server has no such path: is it loyaltyd, of this version or a newer one?';
  return oneLine(detail === null ? `${title} (${code})` : `${title}: ${detail} (${code})`);
}

function textOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise;
}

/** What a refusal says. */
export function problemOf(status: number, body: unknown): Problem {
  const { type, title, detail } = (typeof body === 'object' && body !== null ? body : {}) as Readonly<
    Record<string, unknown>
  >;
  const isOurs = typeof type === 'string' && type.startsWith(codePrefix);
  const code = isOurs ? type.slice(codePrefix.length) : null;
  return { status, code, title: textOr(title, 'It was refused'), detail: textOr(detail, null) };
}
