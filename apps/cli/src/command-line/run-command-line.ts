import { CommanderError } from 'commander';

import { buildProgram } from './build-program.js';
import { exitError, exitOk, exitUsage } from './exit-codes.js';

/** Runs one command of `loyaltyd`. @returns the exit code of contracts.md section 4 */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  let code = exitOk;
  const program = buildProgram((result) => {
    code = result;
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    // Commander has already said what is wrong, or shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === exitOk ? exitOk : exitUsage;
    process.stderr.write(`loyaltyd: ${error instanceof Error ? error.message : String(error)}\n`);
    return exitError;
  }
}
