import { optionsOrExit } from '../../support/process/program.js';
import { helpText, readSandboxBenchOptions } from './options.js';
import { sandboxTableOf } from './sandbox-report.js';

/** A run that takes longer than this hangs. */
const runMsMax = 30 * 60_000;

const options = optionsOrExit(readSandboxBenchOptions, helpText);
if (options.isHelp) {
  console.log(helpText);
} else {
  setTimeout(() => {
    console.error('The benchmark hangs and gives up.');
    process.exit(1);
  }, runMsMax).unref();
  const { runSandboxBench } = await import('./run-sandbox-bench.js');
  const report = await runSandboxBench(options);
  console.log(options.isJson ? JSON.stringify(report, null, 2) : sandboxTableOf(report));
  process.exitCode = report.holds ? 0 : 1;
}
