import { exitError } from '../../command-line/exit-codes.js';
import type { ConsentFlags } from '../act/consent.js';
import { consents } from '../act/consent.js';
import type { MemberName } from '../options/parse-options.js';
import { safeLine } from '../output/safe-text.js';
import type { Terminal } from '../terminal/terminal.js';
import type { JobFlags } from './run-job.js';
import { runJob } from './run-job.js';

/** Asks a person first: it cannot be undone. A program that names one member has decided. @returns the exit code */
export async function erase(
  terminal: Terminal,
  { program, memberId }: MemberName,
  flags: JobFlags & ConsentFlags,
): Promise<number> {
  const isAgreed = { yes: flags.yes === true || !terminal.isInteractive };
  const question = `Erase ${safeLine(`${program}/${memberId}`)} for ever?`;
  if (!(await consents(terminal, isAgreed, question))) return exitError;
  return runJob(terminal, { kind: 'erasure', says: { program, memberId } }, flags);
}
