import { wrongUsage } from '../../command-line/command-failure.js';
import type { Terminal } from '../terminal/terminal.js';

export interface ConsentFlags {
  readonly yes?: boolean;
}

const agreement = /^\s*y(?:es)?\s*$/i;

/** Where nobody can be asked, consent must have been given before. @throws {CommandFailure} before anything is done */
export function requireConsent(terminal: Terminal, { yes = false }: ConsentFlags): void {
  if (!yes && !terminal.isInteractive) throw wrongUsage('nobody is there to be asked: say --yes, or --dry-run to look');
}

/** Asks unless consent was given before; nothing but a clear yes is one. */
export async function consents(terminal: Terminal, { yes = false }: ConsentFlags, question: string): Promise<boolean> {
  return yes || agreement.test(await terminal.ask(`${question} [y/N] `));
}
