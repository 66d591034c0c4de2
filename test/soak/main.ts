import { UsageError } from '../chaos/options.js';
import { helpText, readOptions, type SoakOptions } from './options.js';
import { soakTable } from './report/soak-table.js';

function readOptionsOrExit(): SoakOptions {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${helpText}\n`);
    process.exit(2);
  }
}

const options = readOptionsOrExit();
if (options.isHelp) {
  process.stdout.write(`${helpText}\n`);
} else {
  const { runSoak } = await import('./run-soak.js');
  const report = await runSoak(options);
  process.stdout.write(`${options.isJson ? JSON.stringify(report, null, 2) : soakTable(report)}\n`);
  process.exitCode = report.ok ? 0 : 1;
}
