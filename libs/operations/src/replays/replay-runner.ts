import type { Replay, ReplayTools } from '#intents';
import { leaseReplays, replayStep, settleResting } from '#intents';
import type { Logger, Random } from '#platform';
import { BackgroundLoop } from '#platform';

import { RateBudgets } from './rate-budgets.js';

/** How often running replays are looked at, and how often one looks for new ones. */
const turnMs = 250;
const idleMs = 1_000;

export interface ReplayRunnerTools extends ReplayTools {
  readonly random: Random;
  readonly logger: Logger;
}

/** Carries on the replays that run, each in one process at a time. */
export function replayRunner(tools: ReplayRunnerTools): BackgroundLoop {
  const { database, clock, random } = tools;
  const owner = random.uuid();
  const budgets = new RateBudgets(clock);
  const turn = async (replay: Replay): Promise<void> => {
    const budget = budgets.of(replay.replayId);
    budget.spend(await replayStep(replay, budget.available(replay.ratePerSecond), tools));
  };
  const workOnce = async (): Promise<number> => {
    const replays = await leaseReplays(database, { owner, now: clock.now() });
    for (const replay of replays) await turn(replay);
    await settleResting(tools);
    return replays.length === 0 ? idleMs : turnMs;
  };
  return new BackgroundLoop({
    ...tools,
    workOnce,
    close: async () => undefined,
    complaint: 'replays were not carried on',
  });
}
