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

async function surveyAll({ from, seeds: count, plant }: SimulateOptions): Promise<boolean> {
  const [{ plantedBugs }, { SeedRunner }, { rowOf, tableHead }] = await Promise.all([
    import('./planted/planted-bugs.js'),
    import('./runner/seed-runner.js'),
    import('./planted/who-names.js'),
  ]);
  const runner = await SeedRunner.open();
  try {
    say(tableHead.join('\n'));
    for (const bug of plantedBugs.filter(({ name }) => plant === null || name === plant)) {
      const seeds = new Set([bug.seenIn, ...Array.from({ length: count }, (_, index) => from + index)]);
      say(await rowOf(runner, bug, seeds));
    }
    return true;
  } finally {
    await runner.close();
  }
}

const options = optionsOrExit(readOptions, helpText);
if (options.isHelp) {
  say(helpText);
} else {
  const run = options.isSurvey ? surveyAll(options) : null;
  const isFine = await (run ?? (options.replay === null ? runMany(options) : replayOne(options, options.replay)));
  process.exitCode = isFine ? 0 : 1;
}
