import type { PauseResult, PauseView } from '#contracts';

import { exitOk } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import type { Act, ActFlags } from './act.js';
import { act } from './act.js';
import { wholeList } from './api-client.js';
import type { OneView } from './output.js';
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
}

/** What a pause holds, in words. */
function scopeText({ program, operation, factor }: PauseView): string {
  const what = factor === null ? '' : ` (${factor})`;
  return safeLine(`${operation ?? 'every operation'}${what} of ${program ?? 'every program'}`);
}

const pauseView: OneView<PauseResult> = {
  text: ({ pause, isNew }) => {
    const before = safeLine(`, since ${pause.since} by ${pause.by}: ${pause.reason}`);
    return isNew ? `paused: ${scopeText(pause)}\n` : `was paused already: ${scopeText(pause)}${before}\n`;
  },
  nameOf: ({ pause }) => nameOf(pause),
};

const liftedView: OneView<PauseView> = { text: (pause) => `resumed: ${scopeText(pause)}\n`, nameOf };

/** What the API takes as the scope: undefined members are left out of the JSON. */
function change<T>(method: 'post' | 'delete', { program, operation, factor }: PauseFlags, view: OneView<T>): Act<T> {
  return { method, path: '/pauses', body: { program, operation, factor }, view };
}

/** Nothing of it is begun until it is resumed. @returns the exit code */
export async function pause(terminal: Terminal, flags: PauseFlags): Promise<number> {
  await act(terminal, change('post', flags, pauseView), flags);
  return exitOk;
}

/** Lifts that pause. @returns the exit code */
export async function resume(terminal: Terminal, flags: PauseFlags): Promise<number> {
  await act(terminal, change('delete', flags, liftedView), flags);
  return exitOk;
}
