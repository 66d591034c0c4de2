import { setTimeout as delay } from 'node:timers/promises';

import { ApiFailure, NoAnswer } from '../http/api-failure.js';
import type { Terminal } from '../terminal/terminal.js';

/** Looks come close at first, for most work is short. */
const lookMsFirst = 200;
const lookMsMax = 2_000;
const lookGrowth = 1.5;
/** Looks in a row without an answer: two minutes and a half, as long as a rollout takes. */
const silentLooksMax = 75;
/** In a log, one line of progress so often. */
const toldEveryMs = 5_000;
const awayStatuses = [429, 502, 503, 504];

/** Work at the server whose end is awaited. */
export interface Followed<T> {
  readonly load: () => Promise<T>;
  readonly isFinished: (work: T) => boolean;
  /** How far it is, in one safe line. */
  readonly line: (work: T) => string;
  /** The command that looks at it later. */
  readonly lookLater: string;
}

function isAway(error: unknown): boolean {
  return error instanceof NoAnswer || (error instanceof ApiFailure && awayStatuses.includes(error.problem.status));
}

/** Tells how far it is: on a screen over the line before, in a log now and then. */
function progressTeller(terminal: Terminal): (line: string) => void {
  let toldAt = -Infinity;
  let told = '';
  return (line) => {
    if (terminal.isErrorSeen) {
      terminal.retell(line, false);
    } else if (line !== told && performance.now() - toldAt >= toldEveryMs) {
      [told, toldAt] = [line, performance.now()];
      terminal.tell(line);
    }
  };
}

/** How it stands now; null where nobody answered for once. */
async function look<T>(load: () => Promise<T>, mayFail: boolean): Promise<T | null> {
  try {
    return await load();
  } catch (error) {
    if (mayFail && isAway(error)) return null;
    throw error;
  }
}

async function lookUntilFinished<T>(first: T, followed: Followed<T>, progress: (line: string) => void): Promise<T> {
  let [work, silentLooks, lookMs] = [first, 0, lookMsFirst];
  while (!followed.isFinished(work)) {
    progress(followed.line(work));
    await delay(lookMs);
    lookMs = Math.min(lookMs * lookGrowth, lookMsMax);
    const seen: T | null = await look(followed.load, silentLooks < silentLooksMax);
    silentLooks = seen === null ? silentLooks + 1 : 0;
    work = seen ?? work;
  }
  return work;
}

/** Looks until it is finished. A server that is away for a while does not end it: the work goes on there. */
export async function follow<T>(terminal: Terminal, first: T, followed: Followed<T>): Promise<T> {
  const sayWhere = (): void => terminal.tell(`loyaltyd: it goes on at the server: ${followed.lookLater}`);
  const forget = terminal.onInterrupt(sayWhere);
  try {
    const work = await lookUntilFinished(first, followed, progressTeller(terminal));
    const last = followed.line(work);
    if (terminal.isErrorSeen) terminal.retell(last, true);
    else terminal.tell(last);
    return work;
  } finally {
    forget();
  }
}
