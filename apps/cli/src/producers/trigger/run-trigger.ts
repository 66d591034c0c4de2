import { exitOk, exitUsage } from '../../command-line/command-failure.js';
import { UsageProblems } from '../kafka-words.js';
import type { TriggerOptions } from '../options.js';
import type { TextTarget } from '../text-output.js';
import { TextOutput } from '../text-output.js';
import type { TriggerPlan } from './plan-trigger.js';
import { planTrigger } from './plan-trigger.js';

/** What a run needs of its process. */
export interface TriggerProcess {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: TextTarget;
  readonly stderr: { write(text: string): unknown };
}

/**
 * `loyaltyd trigger`: sends test events that a daemon takes for real ones.
 * @returns the exit code: 0 all sent, 1 nothing could be sent, 2 usage, 4 some were sent
 */
export async function runTrigger(options: TriggerOptions, surroundings: TriggerProcess): Promise<number> {
  const { stdout, stderr, env } = surroundings;
  const complain = (line: string): void => void stderr.write(`loyaltyd trigger: ${line}\n`);
  try {
    const plan = planTrigger(options, env);
    const output = new TextOutput(stdout);
    if (options.dryRun) return await print(plan, output);
    const { sendEvents } = await import('./send-events.js');
    return await sendEvents(plan, { output, complain });
  } catch (error) {
    if (!(error instanceof UsageProblems)) throw error;
    error.lines.forEach(complain);
    return exitUsage;
  }
}

/** Records as lint reads them. */
async function print({ options, topic, events }: TriggerPlan, output: TextOutput): Promise<number> {
  for (let number = 1; number <= options.count; number += 1) {
    const { key, headers, value } = events.make(number).record;
    await output.write(`${JSON.stringify({ topic, key, headers, value: JSON.parse(value) as unknown })}\n`);
  }
  return exitOk;
}
