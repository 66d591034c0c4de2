import type { Command } from 'commander';

import { withConnection } from './connection-options.js';
import { withOutput } from './output-options.js';
import { parseReason } from './parse-options.js';

export interface ReasonFlags {
  readonly reason: string;
}

const reasonText = 'why: kept for ever and shown to colleagues, so nothing personal';
/** Where what was done says enough by itself. */
const reasonDefault = 'asked for on the command line';

/** For what decides over an intent or a record. */
export function withReason(command: Command): Command {
  return command.requiredOption('--reason <text>', reasonText, parseReason);
}

export function withReasonIfGiven(command: Command): Command {
  return command.option('--reason <text>', reasonText, parseReason, reasonDefault);
}

/** Adds what every command has that changes something. */
export function withAct(command: Command, reason: typeof withReason = withReasonIfGiven): Command {
  return withConnection(withOutput(reason(command)));
}
