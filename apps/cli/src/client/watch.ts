import { setTimeout as delay } from 'node:timers/promises';

import { CommandFailure, exitNotAllowed, exitUsage } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import { ApiFailure, NoAnswer } from './api-client.js';

/** Clears the screen and begins at its top. */
const clear = '\u001b[2J\u001b[H';
/** These do not mend themselves. */
const final = [exitUsage, exitNotAllowed];

type Round = (terminal: Terminal) => Promise<number>;

/** One look, as a text: on a screen it is written at once, or it would flicker. */
async function poll(terminal: Terminal, round: Round): Promise<string> {
  const parts: string[] = [];
  const report = (line: string): void => void parts.push(`${line}\n`);
  const print = async (text: string): Promise<void> => void parts.push(text);
  try {
    await round({ ...terminal, print, ...(terminal.isOutputSeen ? { report } : {}) });
  } catch (error) {
    if (!(error instanceof CommandFailure) || final.includes(error.exitCode)) throw error;
    const seen = terminal.isOutputSeen ? { report } : terminal;
    seen.report(`loyaltyd: ${error.message}`);
  }
  return parts.join('');
}

/**
 * Shows something once, or again and again until the person or the reader goes away. What may mend itself, such as a
 * server that is away for a while, does not end it.
 */
export async function watch(terminal: Terminal, seconds: number | undefined, round: Round): Promise<number> {
  if (seconds === undefined) return round(terminal);
  for (;;) {
    const text = await poll(terminal, round);
    const head = `${clear}every ${seconds} s, ${new Date().toISOString()}\n\n`;
    await terminal.print(terminal.isOutputSeen ? `${head}${text}` : text);
    await delay(seconds * 1_000);
  }
}

/** Looks come close at first, for most work is short. */
const pollMsFirst = 200;
const pollMsMax = 2_000;
const pollGrowth = 1.5;
/** Looks in a row without an answer: two minutes and a half, as long as a rollout takes. */
const silentPollsMax = 75;
/** In a log, one line of progress so often. */
const reportEveryMs = 5_000;
const awayStatuses = [429, 502, 503, 504];

/** Work at the server whose end is awaited. */
interface Followed<T> {
  readonly load: () => Promise<T>;
  readonly isFinished: (work: T) => boolean;
  /** How far it is, in one safe line. */
  readonly line: (work: T) => string;
  /** The command that looks at it later. */
  readonly pollLater: string;
}

function isAway(error: unknown): boolean {
  return error instanceof NoAnswer || (error instanceof ApiFailure && awayStatuses.includes(error.problem.status));
}

/** Reports progress: on a screen over the line before, in a log now and then. */
function progressReporter(terminal: Terminal): (line: string) => void {
  let reportedAt = -Infinity;
  let reported = '';
  return (line) => {
    if (terminal.isErrorSeen) {
      terminal.reportOver(line, false);
    } else if (line !== reported && performance.now() - reportedAt >= reportEveryMs) {
      [reported, reportedAt] = [line, performance.now()];
      terminal.report(line);
    }
  };
}

/** Its present state; null where the server did not answer once. */
async function loadIfThere<T>(load: () => Promise<T>, mayFail: boolean): Promise<T | null> {
  try {
    return await load();
  } catch (error) {
    if (mayFail && isAway(error)) return null;
    throw error;
  }
}

async function pollUntilFinished<T>(first: T, followed: Followed<T>, progress: (line: string) => void): Promise<T> {
  let [work, silentLooks, pollMs] = [first, 0, pollMsFirst];
  while (!followed.isFinished(work)) {
    progress(followed.line(work));
    await delay(pollMs);
    pollMs = Math.min(pollMs * pollGrowth, pollMsMax);
    const seen: T | null = await loadIfThere(followed.load, silentLooks < silentPollsMax);
    silentLooks = seen === null ? silentLooks + 1 : 0;
    work = seen ?? work;
  }
  return work;
}

/** Looks until it is finished. A server that is away for a while does not end it: the work continues there. */
export async function follow<T>(terminal: Terminal, first: T, followed: Followed<T>): Promise<T> {
  const sayWhere = (): void => terminal.report(`loyaltyd: it goes on at the server: ${followed.pollLater}`);
  const forget = terminal.onInterrupt(sayWhere);
  try {
    const work = await pollUntilFinished(first, followed, progressReporter(terminal));
    const last = followed.line(work);
    if (terminal.isErrorSeen) terminal.reportOver(last, true);
    else terminal.report(last);
    return work;
  } finally {
    forget();
  }
}
