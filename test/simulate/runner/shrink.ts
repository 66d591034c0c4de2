import type { Fault } from '../world/fault.js';
import { scenarioOf } from '../world/scenario.js';
import type { SeedAnswer } from './seed-messages.js';

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
