import { stopParts } from '#test-support';

import { keepInputs, keptInputs } from './corpus.js';
import type { FuzzTarget } from './fuzz-target.js';
import { HangWatch } from './hang-watch.js';
import type { FuzzOptions } from './options.js';
import { crashOf, crashText, runTarget, type TargetReport } from './run-target.js';
import { targets } from './targets/index.js';

const msPerMinute = 60_000;

export type Say = (text: string) => void;

async function withTarget<Result>(name: string, work: (target: FuzzTarget) => Promise<Result>): Promise<Result> {
  const target = await targets[name]?.();
  if (target === undefined) throw new RangeError(`no target is called ${name}`);
  try {
    return await work(target);
  } finally {
    await target.close?.();
  }
}

/** One target, watched from outside: some mistakes never end. */
async function fuzzOne(name: string, options: FuzzOptions, msMax: number): Promise<TargetReport> {
  return withTarget(name, async (target) => {
    const watch = new HangWatch(name);
    try {
      const onInput = (input: Buffer): void => watch.begin(input);
      const inputsMax = options.inputs ?? Infinity;
      const report = await runTarget(target, {
        seed: options.seed,
        inputsMax,
        msMax,
        corpus: keptInputs(name),
        onInput,
      });
      if (options.isKept) keepInputs(name, [...report.ofInterest, ...report.crashes.map(({ input }) => input)]);
      return report;
    } finally {
      await watch.end();
    }
  });
}

function lineOf({ target, inputs, seconds, kinds, crashes }: TargetReport): string {
  return `${target}: ${inputs} inputs in ${seconds.toFixed(1)} s, ${kinds.size} kinds of answer, ${crashes.length} findings`;
}

/** Runs the targets one after the other. @returns a report of each */
export async function runFuzz(options: FuzzOptions, say: Say): Promise<TargetReport[]> {
  const names = Object.keys(targets).filter((name) => options.only.length === 0 || options.only.includes(name));
  const msMax = options.minutes === null ? Infinity : (options.minutes * msPerMinute) / names.length;
  const reports: TargetReport[] = [];
  try {
    for (const name of names) {
      const report = await fuzzOne(name, options, msMax);
      reports.push(report);
      say([lineOf(report), ...report.crashes.map(crashText)].join('\n'));
    }
    return reports;
  } finally {
    await stopParts();
  }
}

/** Judges one input once more. @returns what is wrong with it; null: nothing */
export async function repeatInput(name: string, input: Buffer): Promise<string | null> {
  try {
    return await withTarget(name, (target) => crashOf(target, input));
  } finally {
    await stopParts();
  }
}
