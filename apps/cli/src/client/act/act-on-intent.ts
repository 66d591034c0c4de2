import type { IntentActionResult } from '#contracts';

import { exitOk } from '../../command-line/exit-codes.js';
import type { ConnectionFlags } from '../connection/resolve-connection.js';
import { resolveConnection } from '../connection/resolve-connection.js';
import { ApiClient } from '../http/api-client.js';
import type { ReasonFlags } from '../options/act-options.js';
import type { OutputFlags } from '../options/output-options.js';
import { safeLine } from '../output/safe-text.js';
import type { OneView } from '../output/write-one.js';
import { writeOne } from '../output/write-one.js';
import type { Terminal } from '../terminal/terminal.js';
import { intentPath } from './intent-path.js';

export interface ActFlags extends ConnectionFlags, OutputFlags, ReasonFlags {}

export interface IntentAct {
  readonly id: string;
  readonly verb: 'replay' | 'cancel' | 'resolve';
  /** What the verb needs besides the reason. */
  readonly says?: Readonly<Record<string, string>>;
}

export interface PutBackFlags extends ActFlags {
  /** Although it was put back often without success. */
  readonly force?: boolean;
}

/** How an intent stands after something was done to it. */
export function standingText({ intent, overtaken }: IntentActionResult): string {
  const { id, status, reason } = intent;
  const now = safeLine(`${id} is ${status}${reason === null ? '' : `: ${reason}`}`);
  const later = overtaken === 0 ? '' : `${overtaken} later intents of its member had been settled before it\n`;
  return `${now}\n${later}`;
}

const view: OneView<IntentActionResult> = { text: standingText, nameOf: ({ intent }) => intent.id };

/** A person's word on one intent. @returns the exit code */
export async function actOnIntent(terminal: Terminal, act: IntentAct, flags: PutBackFlags): Promise<number> {
  const { id, verb, says = {} } = act;
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const result = (await client.post(`${intentPath(id)}/${verb}`, {
    ...says,
    reason: flags.reason,
    ...(flags.force === true ? { force: true } : {}),
  })) as IntentActionResult;
  await writeOne(terminal, view, { item: result, format: flags.output });
  return exitOk;
}
