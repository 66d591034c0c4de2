import { optionsOrExit } from '../support/process/program.js';
import type { SimulateOptions } from './options.js';
import { helpText, readOptions } from './options.js';

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function runMany(options: SimulateOptions): Promise<boolean> {
  const [{ runSimulation }, { reportText }] = await Promise.all([
    import('./runner/run-simulation.js'),
    import('./runner/report.js'),
  ]);
  const tell = options.isJson ? (text: string): void => void process.stderr.write(`${text}\n`) : say;
  const report = await runSimulation(options, tell);
  say(options.isJson ? JSON.stringify(report, null, 2) : reportText(report));
  return report.failures.length === 0;
}

async function replayOne(options: SimulateOptions, seed: number): Promise<boolean> {
  const { replay } = await import('./runner/seed-runner.js');
  return replay(seed, options, say);
}

const options = optionsOrExit(readOptions, helpText);
if (options.isHelp) {
  say(helpText);
} else {
  const isFine = options.replay === null ? await runMany(options) : await replayOne(options, options.replay);
  process.exitCode = isFine ? 0 : 1;
}
