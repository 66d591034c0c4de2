import type { Clock } from '#platform';

/** Replays whose budgets one process keeps; of more, whoever had a turn longest ago begins anew. */
export const budgetsMax = 256;
/** What a replay may send at once after a pause: this many seconds' worth. */
const burstSeconds = 1;

/** What the rate of a replay allows, by our own monotonic clock. */
class Budget {
  private tokens = 1;
  private at: number;

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {
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

/** The budgets of replays, also of those that have no turn now: coming back is no new beginning. */
export class RateBudgets {
  private readonly budgets = new Map<string, Budget>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  of(replayId: string): Budget {
    const budget = this.budgets.get(replayId) ?? new Budget(this.clock);
    this.budgets.delete(replayId);
    this.budgets.set(replayId, budget);
    const [oldest] = this.budgets.keys();
    if (this.budgets.size > budgetsMax && oldest !== undefined) this.budgets.delete(oldest);
    return budget;
  }
}
