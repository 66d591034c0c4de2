import { optionsOrExit } from '../support/process/program.js';
import { faultKinds } from './nemesis/faults.js';
import { helpText, readOptions } from './options.js';
import { chaosTable } from './report.js';

const options = optionsOrExit((args) => readOptions(args, faultKinds), helpText);
if (options.isHelp) {
  process.stdout.write(`${helpText}\n`);
} else {
  const { runChaos } = await import('./run-chaos.js');
  const report = await runChaos(options);
  process.stdout.write(`${options.isJson ? JSON.stringify(report, null, 2) : chaosTable(report)}\n`);
  process.exitCode = report.ok ? 0 : 1;
}
