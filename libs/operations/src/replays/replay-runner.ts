import type { Replay, ReplayTools } from '#intents';
import { leaseReplays, replayStep } from '#intents';
import type { Clock, Logger, Random } from '#platform';
import { BackgroundLoop } from '#platform';

/** How often a running replay is looked at, and how often one looks for new ones. */
const turnMs = 250;
const idleMs = 1_000;
/** What a replay may send at once after a pause: this many seconds' worth. */
const burstSeconds = 1;

export interface ReplayRunnerTools extends ReplayTools {
  readonly random: Random;
  readonly logger: Logger;
}

/** What the rate of a replay allows, by our own monotonic clock. */
class Budget {
  private tokens = 1;
  private at: number;

  constructor(private readonly clock: Clock) {
    this.at = clock.monotonic();
  }

  available(ratePerSecond: number): number {
    const now = this.clock.monotonic();
    const most = Math.max(1, ratePerSecond * burstSeconds);
    this.tokens = Math.min(most, this.tokens + ((now - this.at) / 1_000) * ratePerSecond);
    this.at = now;
    return this.tokens;
  }

  spend(count: number): void {
    this.tokens -= count;
  }
}

/** Carries on the replays that run, each in one process at a time. */
export function replayRunner(tools: ReplayRunnerTools): BackgroundLoop {
  const { database, clock, random } = tools;
  const owner = random.uuid();
  let budgets = new Map<string, Budget>();
  const turn = async (replay: Replay): Promise<void> => {
    const budget = budgets.get(replay.replayId) ?? new Budget(clock);
    budgets.set(replay.replayId, budget);
    budget.spend(await replayStep(replay, budget.available(replay.ratePerSecond), tools));
  };
  const workOnce = async (): Promise<number> => {
    const replays = await leaseReplays(database, { owner, now: clock.now() });
    const running = new Set(replays.map(({ replayId }) => replayId));
    budgets = new Map([...budgets].filter(([replayId]) => running.has(replayId)));
    for (const replay of replays) await turn(replay);
    return replays.length === 0 ? idleMs : turnMs;
  };
  return new BackgroundLoop({
    ...tools,
    workOnce,
    close: async () => undefined,
    complaint: 'replays were not carried on',
  });
}
