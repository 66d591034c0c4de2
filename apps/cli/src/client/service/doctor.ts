import { CommandFailure } from '../../command-line/command-failure.js';
import { exitError, exitOk } from '../../command-line/exit-codes.js';
import type { ConnectionFlags } from '../connection/resolve-connection.js';
import { resolveConnection } from '../connection/resolve-connection.js';
import { ApiClient } from '../http/api-client.js';
import type { OutputFlags } from '../options/output-options.js';
import type { Colour, Paint } from '../output/colours.js';
import { statusColour } from '../output/colours.js';
import { safeLine } from '../output/safe-text.js';
import type { OneView } from '../output/write-one.js';
import { writeOne } from '../output/write-one.js';
import type { Terminal } from '../terminal/terminal.js';

export interface DoctorFlags extends ConnectionFlags, OutputFlags {}

interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail: string;
  readonly remedy: string | null;
}

interface Diagnosis {
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

const stateWidth = 'skipped'.length;

function checkText({ name, state, detail, remedy }: Check, paint: Paint): string {
  const colour: Colour | null = statusColour(state);
  const mend = remedy === null ? '' : `${' '.repeat(stateWidth + 2)}mend: ${safeLine(remedy)}\n`;
  return `${paint(state.padEnd(stateWidth), colour)}  ${safeLine(`${name}: ${detail}`)}\n${mend}`;
}

const view: OneView<Diagnosis> = {
  text: ({ checks }, paint) => checks.map((check) => checkText(check, paint)).join(''),
  nameOf: ({ checks }) => checks.flatMap(({ name, state }) => (state === 'failed' ? name : [])).join(' '),
};

/** Has the server look at everything that it depends on. @returns the exit code */
export async function doctor(terminal: Terminal, flags: DoctorFlags): Promise<number> {
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const item = (await client.get('/doctor')) as Diagnosis;
  if (!Array.isArray(item.checks)) throw new CommandFailure('the server did not answer with checks');
  await writeOne(terminal, view, { item, format: flags.output });
  return item.ok ? exitOk : exitError;
}
