import type { PauseResult, PauseView } from '#contracts';

import { exitOk } from '../../command-line/exit-codes.js';
import { resolveConnection } from '../connection/resolve-connection.js';
import { ApiClient } from '../http/api-client.js';
import { safeLine } from '../output/safe-text.js';
import type { OneView } from '../output/write-one.js';
import { writeOne } from '../output/write-one.js';
import type { Terminal } from '../terminal/terminal.js';
import type { ActFlags } from './act-on-intent.js';

export interface PauseFlags extends ActFlags {
  readonly program?: string;
  readonly operation?: string;
}

/** What a pause holds, in words. */
function scopeText({ program, operation }: PauseView): string {
  return safeLine(`${operation ?? 'every operation'} of ${program ?? 'every program'}`);
}

function nameOf({ program, operation }: PauseView): string {
  return `${program ?? '*'}/${operation ?? '*'}`;
}

const pauseView: OneView<PauseResult> = {
  text: ({ pause, isNew }) => {
    const before = safeLine(`, since ${pause.since} by ${pause.by}: ${pause.reason}`);
    return isNew ? `paused: ${scopeText(pause)}\n` : `was paused already: ${scopeText(pause)}${before}\n`;
  },
  nameOf: ({ pause }) => nameOf(pause),
};

const liftedView: OneView<PauseView> = { text: (pause) => `goes on: ${scopeText(pause)}\n`, nameOf };

function bodyOf({ program, operation, reason }: PauseFlags): object {
  return { ...(program === undefined ? {} : { program }), ...(operation === undefined ? {} : { operation }), reason };
}

/** Nothing of it is begun until somebody resumes it. @returns the exit code */
export async function pause(terminal: Terminal, flags: PauseFlags): Promise<number> {
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const item = (await client.post('/pauses', bodyOf(flags))) as PauseResult;
  await writeOne(terminal, pauseView, { item, format: flags.output });
  return exitOk;
}

/** Lifts exactly that pause. @returns the exit code */
export async function resume(terminal: Terminal, flags: PauseFlags): Promise<number> {
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const item = (await client.delete('/pauses', bodyOf(flags))) as PauseView;
  await writeOne(terminal, liftedView, { item, format: flags.output });
  return exitOk;
}
