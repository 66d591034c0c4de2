import { optionsOrExit } from '../support/process/program.js';
import { helpText, readOptions } from './options.js';
import { tableOf } from './report/table.js';

/** A run that takes longer than this hangs. */
const runMsMax = 300 * 60_000;

const options = optionsOrExit(readOptions, helpText);
if (options.isHelp) {
  console.log(helpText);
} else {
  setTimeout(() => {
    console.error('The benchmark hangs and gives up.');
    process.exit(1);
  }, runMsMax).unref();
  const { runBench } = await import('./run-bench.js');
  const report = await runBench(options);
  console.log(options.isJson ? JSON.stringify(report, null, 2) : tableOf(report));
  if (options.isWritten) {
    const { writePage } = await import('./report/page.js');
    await writePage(report);
  }
  process.exitCode = report.ok ? 0 : 1;
}
