import { CommanderError } from 'commander';

import type { Terminal } from '../client/terminal/terminal.js';
import { ReaderGone } from '../client/terminal/terminal.js';
import { systemTerminal } from '../client/terminal/system-terminal.js';
import { buildProgram } from './build-program.js';
import { CommandFailure } from './command-failure.js';
import { exitError, exitOk, exitUsage } from './exit-codes.js';

/** Runs one command of `loyaltyd`. @returns the exit code of contracts.md section 4 */
export async function runCommandLine(words: readonly string[], terminal: Terminal = systemTerminal()): Promise<number> {
  let code = exitOk;
  const finish = (result: number): void => {
    code = result;
  };
  try {
    await buildProgram({ finish, terminal }).parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    return exitCodeOf(error, terminal);
  }
}

function exitCodeOf(error: unknown, terminal: Terminal): number {
  // Commander has already said what is wrong, or shown the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === exitOk ? exitOk : exitUsage;
  // Such as `head`: it has what it wanted.
  if (error instanceof ReaderGone) return exitOk;
  terminal.tell(`loyaltyd: ${error instanceof Error ? error.message : String(error)}`);
  return error instanceof CommandFailure ? error.exitCode : exitError;
}
