import type { PauseResult, PauseView, ResumeResult, WaitingView } from '#contracts';

import { exitOk, wrongUsage } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import type { ActFlags } from './act.js';
import { act } from './act.js';
import { ApiClient, wholeList } from './api-client.js';
import { resolveConnection } from './connection.js';
import type { OneView } from './output.js';
import { paintFor, Table, writeOne } from './output.js';
import type { ListSource } from './show.js';
import { ageText, safeLine } from './text.js';

const all = '*';

function nameOf({ program, operation, factor }: PauseView): string {
  return `${program ?? all}/${operation ?? all}${factor === null ? '' : `/${factor}`}`;
}

export const pausesSource: ListSource<PauseView> = {
  path: '/pauses',
  keys: {},
  pages: wholeList,
  since: ({ since }) => since,
  columns: [
    { title: 'PROGRAM', of: ({ program }) => program ?? all },
    { title: 'OPERATION', of: ({ operation }) => operation ?? all },
    { title: 'FACTOR', of: ({ factor }) => factor ?? all },
    { title: 'BY', of: ({ by, automatic }) => (automatic ? `${by} (automatic)` : by) },
    { title: 'UNTIL', of: ({ until }) => until },
    { title: 'AGE', of: ({ since }) => ageText(since) },
    { title: 'SINCE', of: ({ since }) => since, isWide: true },
    { title: 'REASON', of: ({ reason }) => reason },
  ],
  nameOf,
};

export interface PauseFlags extends ActFlags {
  readonly program?: string;
  readonly operation?: string;
  readonly factor?: string;
  readonly until?: string;
}

export interface ResumeFlags extends PauseFlags {
  readonly but?: readonly string[];
  readonly dryRun?: boolean;
}

/** What a pause holds, in words. */
function scopeText({ program, operation, factor }: PauseView): string {
  const what = factor === null ? '' : ` (${factor})`;
  return safeLine(`${operation ?? 'every operation'}${what} of ${program ?? 'every program'}`);
}

const untilText = ({ until }: PauseView): string => (until === null ? '' : safeLine(`, until ${until}`));

const pauseView: OneView<PauseResult> = {
  text: ({ pause, isNew }) => {
    const before = safeLine(`, since ${pause.since} by ${pause.by}: ${pause.reason}`);
    const scope = `${scopeText(pause)}${untilText(pause)}`;
    return isNew ? `paused: ${scope}\n` : `was paused already: ${scope}${before}\n`;
  },
  nameOf: ({ pause }) => nameOf(pause),
};

const liftedView: OneView<ResumeResult> = {
  text: ({ held, ...pause }) => {
    const instead = held.map((each) => `held instead: ${scopeText(each)}${untilText(each)}\n`);
    return `resumed: ${scopeText(pause)}\n${instead.join('')}`;
  },
  nameOf,
};

const factorColumns: ConstructorParameters<typeof Table<WaitingView['factors'][number]>>[0] = [
  { title: 'WAITING', of: ({ waiting }) => `${waiting}` },
  { title: 'REFUSED', of: ({ refused }) => `${refused}` },
  { title: 'FACTOR', of: ({ factor }) => factor },
];

function waitingView(terminal: Terminal): OneView<WaitingView> {
  return {
    text: ({ waiting, isPart, factors }) => {
      const table = factors.length === 0 ? '' : new Table(factorColumns, paintFor(terminal)).rows(factors);
      return `${isPart ? 'at least ' : ''}${waiting} waiting; refused: of the same, since ten minutes before the pause\n${table}`;
    },
    nameOf: ({ waiting }) => `${waiting}`,
  };
}

/** What the API takes as the scope: undefined members are left out of the JSON. */
const scopeOf = ({ program, operation, factor }: PauseFlags): object => ({ program, operation, factor });

/** Nothing of it is begun until it is resumed. @returns the exit code */
export async function pause(terminal: Terminal, flags: PauseFlags): Promise<number> {
  const body = { ...scopeOf(flags), until: flags.until };
  await act(terminal, { path: '/pauses', body, view: pauseView }, flags);
  return exitOk;
}

/** Lifts that pause, all of it or all but some, or only shows what waits for it. @returns the exit code */
export async function resume(terminal: Terminal, flags: ResumeFlags): Promise<number> {
  const { but, until, dryRun = false } = flags;
  if (until !== undefined && but === undefined) throw wrongUsage('--until is of what is held instead: say --but');
  if (dryRun) {
    const client = new ApiClient(resolveConnection(flags, terminal.env));
    const query = Object.entries(scopeOf(flags)).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const item = (await client.get('/pauses/waiting', Object.fromEntries(query))) as WaitingView;
    await writeOne(terminal, waitingView(terminal), { item, format: flags.output });
    return exitOk;
  }
  const body = { ...scopeOf(flags), but, until };
  await act(terminal, { method: 'delete', path: '/pauses', body, view: liftedView }, flags);
  return exitOk;
}
