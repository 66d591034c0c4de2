import type { SimulateOptions } from '../options.js';
import { noBug } from '../planted/planted-bug.js';
import { plantedBugs } from '../planted/planted-bugs.js';
import { scenarioOf } from '../world/scenario.js';
import { SeedRunner } from './seed-runner.js';

/** Runs one world here and tells everything about it. @returns whether nothing is wrong */
export async function replay(seed: number, options: SimulateOptions, say: (text: string) => void): Promise<boolean> {
  const bug = plantedBugs.find(({ name }) => name === options.plant) ?? noBug;
  const runner = await SeedRunner.open();
  try {
    const { without, isTraced, isJson } = options;
    const result = await runner.run(seed, {
      without,
      bug,
      ...(isTraced && { print: (line: string) => void process.stdout.write(line) }),
    });
    if (isJson) {
      say(JSON.stringify(result, null, 2));
    } else {
      say(`faults: ${scenarioOf(seed, without).faults.join(', ')}`);
      say(`${result.steps} steps, ${Math.round(result.virtualMs / 1_000)} virtual seconds, trace ${result.traceHash}`);
      say(result.problems.length === 0 ? 'no invariant was broken' : result.problems.join('\n'));
    }
    return result.problems.length === 0;
  } finally {
    await runner.close();
  }
}
