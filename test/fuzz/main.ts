import { optionsOrExit } from '../support/process/program.js';
import { helpText, readOptions, type FuzzOptions } from './options.js';
import { targets } from './targets/index.js';

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function repeat({ only: [target = ''], repeat: input }: FuzzOptions): Promise<boolean> {
  const { repeatInput } = await import('./run-fuzz.js');
  const what = await repeatInput(target, input ?? Buffer.alloc(0));
  say(what ?? 'nothing is wrong with it');
  return what === null;
}

async function run(options: FuzzOptions): Promise<boolean> {
  const { runFuzz } = await import('./run-fuzz.js');
  const tell = options.isJson ? (text: string): void => void process.stderr.write(`${text}\n`) : say;
  const reports = await runFuzz(options, tell);
  const inputs = reports.reduce((sum, report) => sum + report.inputs, 0);
  const findings = reports.flatMap(({ crashes }) => crashes);
  const shown = reports.map(({ kinds, ofInterest: _ofInterest, ...report }) => ({ ...report, kinds: kinds.size }));
  say(
    options.isJson
      ? JSON.stringify({ inputs, targets: shown }, null, 2)
      : `${inputs} inputs in all, ${findings.length} findings`,
  );
  return findings.length === 0;
}

const options = optionsOrExit((args) => readOptions(args, Object.keys(targets)), helpText);
if (options.isHelp) {
  say(helpText);
} else {
  process.exitCode = (await (options.repeat === null ? run(options) : repeat(options))) ? 0 : 1;
}
