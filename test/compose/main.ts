import { optionsOrExit } from '../support/process/program.js';
import { helpText, readOptions } from './options.js';
import { drillTable } from './report.js';

const options = optionsOrExit(readOptions, helpText);
if (options.isHelp) {
  process.stdout.write(`${helpText}\n`);
} else {
  const { runDrill } = await import('./run-drill.js');
  const report = await runDrill(options);
  process.stdout.write(`${options.isJson ? JSON.stringify(report, null, 2) : drillTable(report)}\n`);
  process.exitCode = report.ok ? 0 : 1;
}
