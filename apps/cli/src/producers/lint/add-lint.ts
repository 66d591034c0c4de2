import type { Command } from 'commander';
import { Option } from 'commander';

import type { OutputFormat } from '../../client/flags.js';
import { outputFormats } from '../../client/flags.js';

interface LintFlags {
  readonly programs?: string;
  readonly dialect?: string;
  readonly output: OutputFormat;
  readonly strict?: boolean;
  readonly quiet?: boolean;
  readonly now?: string;
}

const explanation = `
A file holds events in structured mode, or records {"key":…,"headers":{…},"value":…}: one JSON object, a JSON array, or
one object per line; which one is decided by its beginning. \`kcat -J\` writes records. Nothing is sent anywhere.

Exit codes: 0 all accepted, 1 a file could not be read, 2 usage, 3 nothing to lint, 4 some were refused.`;

/** `loyaltyd lint`, for the teams whose events these are. */
export function addLint(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('lint')
    .description('say what the daemon would make of samples of source events')
    .argument('<file...>', 'files of samples; - is standard input')
    .option('--programs <file>', 'a programs file: also say what it would make of them')
    .option('--dialect <file>', 'the dialect file that goes with the programs file, as in WALLET_DIALECT')
    .addOption(new Option('-o, --output <format>', 'how to write').choices(outputFormats).default('table'))
    .option('--strict', 'fail on warnings and on what would be ignored')
    .option('-q, --quiet', 'leave out samples that are accepted without a warning')
    .option('--now <time>', 'judge times as if it were then, for samples that are kept')
    .addHelpText('after', explanation)
    .action(async (files: readonly string[], flags: LintFlags) => {
      const { runLint } = await import('./run-lint.js');
      const { programs = null, dialect = null, output, strict = false, quiet = false, now = null } = flags;
      finish(await runLint({ files, programs, dialect, output, strict, quiet, now }, process));
    });
}
