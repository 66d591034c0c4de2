import { optionsOrExit } from '../support/process/program.js';
import { helpText, readOptions } from './options.js';
import { soakTable } from './report.js';

const options = optionsOrExit(readOptions, helpText);
if (options.isHelp) {
  process.stdout.write(`${helpText}\n`);
} else {
  const { runSoak } = await import('./run-soak.js');
  const report = await runSoak(options);
  process.stdout.write(`${options.isJson ? JSON.stringify(report, null, 2) : soakTable(report)}\n`);
  process.exitCode = report.ok ? 0 : 1;
}
