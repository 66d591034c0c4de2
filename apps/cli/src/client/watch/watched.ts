import { setTimeout as delay } from 'node:timers/promises';

import { CommandFailure } from '../../command-line/command-failure.js';
import { exitNotAllowed, exitUsage } from '../../command-line/exit-codes.js';
import type { Terminal } from '../terminal/terminal.js';

/** Clears the screen and begins at its top. */
const clear = '\u001b[2J\u001b[H';
/** These do not mend themselves. */
const final = [exitUsage, exitNotAllowed];

type Round = (terminal: Terminal) => Promise<number>;

/** One look, as a text: on a screen it is written at once, or it would flicker. */
async function look(terminal: Terminal, round: Round): Promise<string> {
  const parts: string[] = [];
  const tell = (line: string): void => void parts.push(`${line}\n`);
  const print = async (text: string): Promise<void> => void parts.push(text);
  try {
    await round({ ...terminal, print, ...(terminal.isOutputSeen ? { tell } : {}) });
  } catch (error) {
    if (!(error instanceof CommandFailure) || final.includes(error.exitCode)) throw error;
    const seen = terminal.isOutputSeen ? { tell } : terminal;
    seen.tell(`loyaltyd: ${error.message}`);
  }
  return parts.join('');
}

/**
 * Shows something once, or again and again until the person or the reader goes away. What may mend itself, such as a
 * server that is away for a while, does not end it.
 */
export async function watched(terminal: Terminal, seconds: number | undefined, round: Round): Promise<number> {
  if (seconds === undefined) return round(terminal);
  for (;;) {
    const text = await look(terminal, round);
    const head = `${clear}every ${seconds} s, ${new Date().toISOString()}\n\n`;
    await terminal.print(terminal.isOutputSeen ? `${head}${text}` : text);
    await delay(seconds * 1_000);
  }
}
