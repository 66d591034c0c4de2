import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const runsPerCommand = 9;
const timeoutMs = 60_000;

/** Milliseconds from the start of a process to its end, over some runs. */
export interface StartTimes {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

async function oneRun(args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const since = performance.now();
  await promisify(execFile)(process.execPath, args, { env, timeout: timeoutMs });
  return performance.now() - since;
}

function figures(runs: readonly number[]): StartTimes {
  const sorted = runs.map(Math.round).toSorted((a, b) => a - b);
  return { min: sorted[0] ?? 0, median: sorted[Math.floor(sorted.length / 2)] ?? 0, max: sorted.at(-1) ?? 0 };
}

/** Runs commands of Node by turns, so that what else the machine does meets all of them. */
export async function startTimes<Name extends string>(
  commands: Readonly<Record<Name, readonly string[]>>,
  env: Readonly<Record<string, string>>,
): Promise<Record<Name, StartTimes>> {
  const entries = Object.entries(commands) as [Name, readonly string[]][];
  const runs = new Map<Name, number[]>(entries.map(([name]) => [name, []]));
  for (let run = 0; run < runsPerCommand; run += 1) {
    for (const [name, args] of entries) runs.get(name)?.push(await oneRun(args, env));
  }
  return Object.fromEntries([...runs].map(([name, times]) => [name, figures(times)])) as Record<Name, StartTimes>;
}
