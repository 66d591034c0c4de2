import { availableParallelism } from 'node:os';

import type { SimulateOptions } from '../options.js';
import type { Fault } from '../world/fault.js';
import { scenarioOf } from '../world/scenario.js';
import type { Failure, SimulationReport } from './report.js';
import { failureText, Tally } from './report.js';
import type { SeedAnswer } from './worker-pool.js';
import { askAll, withWorker } from './worker-pool.js';

/** The beginning of a problem, by which it is told from others: `I9 sent before its begin`. */
function kindOf(problem: string | undefined): string {
  return (problem ?? '').replaceAll(/\d{3,}/g, 'N').slice(0, 24);
}

/**
 * Switches faults off one by one; what is still broken without one does not need it.
 * @returns the faults that are not needed
 */
export async function shrink(
  failing: { readonly seed: number; readonly problems: readonly string[] },
  without: readonly Fault[],
  run: (without: readonly Fault[]) => Promise<SeedAnswer>,
): Promise<Fault[]> {
  const kind = kindOf(failing.problems[0]);
  const off = [...without];
  for (const fault of scenarioOf(failing.seed, new Set(without)).faults) {
    const { problems } = await run([...off, fault]);
    if (problems.some((problem) => kindOf(problem) === kind)) off.push(fault);
  }
  return off;
}

/** Shrinking takes a world per fault; the first failures tell enough. */
const shrunkMax = 5;
/** So many failing worlds end a run: something is broken that is not worth more. */
const failuresMax = 50;
const reportIntervalMs = 60_000;

/** Runs the worlds of many seeds on all processors. @param tell progress and failures, as they come */
export async function runSimulation(options: SimulateOptions, tell: (text: string) => void): Promise<SimulationReport> {
  const { from, seeds, minutes } = options;
  const startedAt = performance.now();
  const endsAt = minutes === null ? Infinity : startedAt + minutes * 60_000;
  const last = minutes === null ? from + seeds : Infinity;
  const failing: SeedAnswer[] = [];
  const tally = new Tally();
  const { plant, asksRetailer } = options;
  const question = { without: [...options.without], plant, asksRetailer };
  let reportedAt = startedAt;
  let seed = from;
  const next = (): ({ seed: number } & typeof question) | null => {
    const isOver = seed >= last || performance.now() >= endsAt || failing.length >= failuresMax;
    if (isOver) return null;
    seed += 1;
    return { seed: seed - 1, ...question };
  };
  await askAll(options.workers ?? availableParallelism(), next, (answer) => {
    tally.add(answer);
    if (answer.problems.length > 0) {
      failing.push(answer);
      tell(failureText({ ...answer, without: question.without }));
    }
    if (performance.now() - reportedAt < reportIntervalMs) return;
    reportedAt = performance.now();
    tell(`${tally.worlds} worlds, ${failing.length} failures, ${Math.round((reportedAt - startedAt) / 1_000)} s`);
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  const failures = await shrinkAll(failing, options);
  return tally.report({ from, seconds, failures });
}

async function shrinkAll(failing: readonly SeedAnswer[], options: SimulateOptions): Promise<Failure[]> {
  const { without, plant, asksRetailer } = options;
  const sorted = failing.toSorted((one, other) => one.seed - other.seed);
  if (sorted.length === 0) return [];
  return withWorker(async (ask) => {
    const failures: Failure[] = [];
    for (const [index, answer] of sorted.entries()) {
      const { seed, problems, traceHash } = answer;
      const isShrunk = index < shrunkMax && traceHash !== '';
      const needed = isShrunk
        ? await shrink(answer, [...without], (off) => ask({ seed, without: off, plant, asksRetailer }))
        : null;
      failures.push({ seed, problems, without: needed ?? [...without] });
    }
    return failures;
  });
}
