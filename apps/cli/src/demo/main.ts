import { CommanderError } from 'commander';

import { exitError, exitOk, exitUsage } from '../command-line/command-failure.js';
import { readDemoOptions } from './demo-options.js';

async function main(): Promise<number> {
  try {
    const options = readDemoOptions(process.argv.slice(2));
    // Loaded only now: --help must not wait for a database driver.
    const { runDemo } = await import('./run-demo.js');
    return await runDemo(options);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === exitOk ? exitOk : exitUsage;
    process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
    return exitError;
  }
}

process.exit(await main());
