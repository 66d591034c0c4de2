import type { Clock } from '#platform';

import type { ItemProgress } from './job-items.js';

/** How far a job may go in a turn. */
export interface Allowance {
  /** How many items, or calls, its rate lets it begin. */
  readonly rate: number;
  /** How many its canary does. */
  readonly canary: number;
  /** How far its items are; null of a job that has none. */
  readonly items: ItemProgress | null;
}

/** Of a job without rate, canary and items. */
export const unlimited: Allowance = { rate: Infinity, canary: Infinity, items: null };

/** How many items a canary sends before it looks at what came of them: one, ten more, then the rest. */
const stages = [1, 11] as const;
/** From so many on, the rest is stopped where more than half of what was sent fails again. */
const canaryRestMin = 50;
/** Of the second stage: more failures than these stop it. */
const secondStageFailuresMax = 1;

/** What came of the items since the canary began. */
interface CanaryCounts {
  /** What we refused to send does not count. */
  readonly begun: number;
  /** What it came of is known. */
  readonly settled: number;
  /** Parked again. */
  readonly failed: number;
}

export type CanaryVerdict =
  | { readonly kind: 'go'; /** How many may be begun now. */ readonly allowance: number }
  | { readonly kind: 'stop'; readonly because: string };

function isFailing({ begun, settled, failed }: CanaryCounts): boolean {
  if (begun <= stages[0]) return failed > 0;
  if (begun <= stages[1]) return failed > secondStageFailuresMax;
  return settled >= canaryRestMin && failed * 2 > settled;
}

function failedText(failed: number, settled: number): string {
  return settled === 1 ? 'the one that was sent failed' : `${failed} of the ${settled} that were sent failed`;
}

/** Whether a job with a canary continues, and how far. Pure. */
export function judgeCanary(counts: CanaryCounts): CanaryVerdict {
  const { begun, settled, failed } = counts;
  if (isFailing(counts)) return { kind: 'stop', because: failedText(failed, settled) };
  const stage = stages.find((size) => begun < size || settled < size);
  return { kind: 'go', allowance: stage === undefined ? Infinity : Math.max(0, stage - begun) };
}

/** Jobs whose budgets one process keeps; of more, the one whose turn is longest ago begins anew. */
export const budgetsMax = 256;
/** What a job may do at once after a pause: this many seconds' worth. */
const burstSeconds = 1;

/** What the rate of a job allows, by our own monotonic clock. */
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

/** The budgets of jobs, also of those that have no turn now: coming back is no new beginning. */
export class RateBudgets {
  private readonly budgets = new Map<string, Budget>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  of(jobId: string): Budget {
    const budget = this.budgets.get(jobId) ?? new Budget(this.clock);
    this.budgets.delete(jobId);
    this.budgets.set(jobId, budget);
    const [oldest] = this.budgets.keys();
    if (this.budgets.size > budgetsMax && oldest !== undefined) this.budgets.delete(oldest);
    return budget;
  }
}
