import { faultKinds } from './nemesis/all-faults.js';
import { type ChaosOptions, helpText, readOptions, UsageError } from './options.js';
import { chaosTable } from './report/chaos-table.js';

function readOptionsOrExit(): ChaosOptions {
  try {
    return readOptions(process.argv.slice(2), faultKinds);
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
  const { runChaos } = await import('./run-chaos.js');
  const report = await runChaos(options);
  process.stdout.write(`${options.isJson ? JSON.stringify(report, null, 2) : chaosTable(report)}\n`);
  process.exitCode = report.ok ? 0 : 1;
}
