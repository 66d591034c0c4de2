import { wrongUsage } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import { ApiClient } from './api-client.js';
import type { ConnectionFlags } from './connection.js';
import { resolveConnection } from './connection.js';
import type { OutputFlags, ReasonFlags } from './flags.js';
import type { OneView } from './output.js';
import { writeOne } from './output.js';

/** What every command has that changes something. */
export interface ActFlags extends ConnectionFlags, OutputFlags, ReasonFlags {}

/** A change that is asked of the operations API. */
export interface Act<T> {
  readonly method?: 'post' | 'delete';
  readonly path: string;
  /** What it needs besides the reason. */
  readonly body?: object;
  readonly view: OneView<T>;
}

/** Has the server make one change, and shows its answer. */
export async function act<T>(terminal: Terminal, asked: Act<T>, flags: ActFlags): Promise<T> {
  const { method = 'post', path, body = {}, view } = asked;
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const item = (await client[method](path, { ...body, reason: flags.reason })) as T;
  await writeOne(terminal, view, { item, format: flags.output });
  return item;
}

/** What a person may have done to a job. */
export type Steering = 'pause' | 'resume' | 'cancel';

export interface ConsentFlags {
  readonly yes?: boolean;
}

const agreement = /^\s*y(?:es)?\s*$/i;

/** Without a terminal the consent must have been given before. @throws {CommandFailure} before anything is done */
export function requireConsent(terminal: Terminal, { yes = false }: ConsentFlags): void {
  if (!yes && !terminal.isInteractive) throw wrongUsage('nobody is there to be asked: say --yes, or --dry-run to look');
}

/** Asks unless consent was given before; nothing but a clear yes is one. */
export async function consents(terminal: Terminal, { yes = false }: ConsentFlags, question: string): Promise<boolean> {
  return yes || agreement.test(await terminal.ask(`${question} [y/N] `));
}
