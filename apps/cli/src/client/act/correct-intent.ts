import type { IntentCorrectionResult } from '#contracts';

import { wrongUsage } from '../../command-line/command-failure.js';
import { exitOk } from '../../command-line/exit-codes.js';
import { resolveConnection } from '../connection/resolve-connection.js';
import { ApiClient } from '../http/api-client.js';
import { section } from '../output/fields.js';
import { requestText } from '../output/request-text.js';
import { safeJson, safeLine } from '../output/safe-text.js';
import { writeOne } from '../output/write-one.js';
import type { Terminal } from '../terminal/terminal.js';
import type { ActFlags } from './act-on-intent.js';
import { standingText } from './act-on-intent.js';
import { inputJson } from './input-text.js';
import { intentPath } from './intent-path.js';

export interface CorrectFlags extends ActFlags {
  /** Holds the whole command. */
  readonly file?: string;
  /** Holds what is to change in it. */
  readonly patch?: string;
}

type Change = IntentCorrectionResult['changes'][number];

function valueText(value: unknown): string {
  return value === undefined || value === null ? 'nothing' : safeJson(value);
}

function changeText({ path, from, to }: Change): string {
  return `${safeLine(path)}: ${valueText(from)} -> ${valueText(to)}`;
}

function textOf({ intent, changes, nextRequest }: IntentCorrectionResult): string {
  const changed = section('Changed', changes.map(changeText).join('\n'));
  return `${standingText({ intent, overtaken: 0 })}${changed}${requestText(nextRequest)}`;
}

async function contentOf(terminal: Terminal, { file, patch }: CorrectFlags): Promise<object> {
  if (file !== undefined && patch === undefined) return { command: await inputJson(terminal, file) };
  if (patch !== undefined && file === undefined) return { patch: await inputJson(terminal, patch) };
  throw wrongUsage('correct intent: --file with the whole command, or --patch with what is to change in it');
}

/** Gives an intent other content; the one before is kept, and nothing is sent. @returns the exit code */
export async function correctIntent(terminal: Terminal, id: string, flags: CorrectFlags): Promise<number> {
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const body = { reason: flags.reason, ...(await contentOf(terminal, flags)) };
  const answer = await client.post(`${intentPath(id)}/correct`, body);
  const view = { text: textOf, nameOf: ({ intent }: IntentCorrectionResult) => intent.id };
  await writeOne(terminal, view, { item: answer as IntentCorrectionResult, format: flags.output });
  return exitOk;
}
