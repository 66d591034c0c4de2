import type { Command } from 'commander';

import { withConnection } from './connection-options.js';
import { withOutput } from './output-options.js';
import { parseReason } from './parse-options.js';

export interface ReasonFlags {
  readonly reason: string;
}

export const reasonText = 'why: kept for ever and shown to colleagues, so nothing personal';

export function withReason(command: Command): Command {
  return command.requiredOption('--reason <text>', reasonText, parseReason);
}

/** Adds what every command has that changes something. */
export function withAct(command: Command): Command {
  return withConnection(withOutput(withReason(command)));
}
