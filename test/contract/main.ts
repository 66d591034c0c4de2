import { DialectError } from '#gateway';

import { UsageError } from '../support/process/program.js';
import { contract } from './contract.js';
import { helpText, readOptions } from './options.js';
import { DataError } from './specification.js';

/** A run that takes longer than this hangs. */
const runMsMax = 30 * 60_000;
const usageExitCode = 2;

const hang = setTimeout(() => {
  process.stderr.write('The suite hangs and gives up.\n');
  process.exit(1);
}, runMsMax);
hang.unref();

try {
  const options = readOptions(process.argv.slice(2));
  if (options.isHelp) process.stdout.write(`${helpText}\n`);
  else process.exitCode = await contract(options);
} catch (error) {
  if (!(error instanceof UsageError || error instanceof DataError || error instanceof DialectError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = usageExitCode;
}
