import { drillTable } from '../drill/report.js';
import { optionsOrExit } from '../support/process/program.js';
import { helpText, readOptions } from './options.js';

const options = optionsOrExit(readOptions, helpText);
if (options.isHelp) {
  process.stdout.write(`${helpText}\n`);
} else {
  const { runRestoreDrill } = await import('./run-restore.js');
  const report = await runRestoreDrill(options);
  process.stdout.write(`${options.isJson ? JSON.stringify(report, null, 2) : drillTable(report)}\n`);
  process.exitCode = report.ok ? 0 : 1;
}
